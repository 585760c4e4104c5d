/** Owners on the admin pages, and checks that other users see nothing there. */

import { createClient } from '@postil/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { clearSeat, enter, type Seat, type SeatOptions, takeSeat } from './browser.ts'
import { world } from './desk.ts'
import type { Person, World } from './seed.ts'

const EXPECTED = [/401/]

/** Seats of each world that nobody sits in, emptied. */
const free = new WeakMap<World, Seat[]>()
const lent = new WeakMap<Seat, World>()

/** A signed-in browser context, on which no page is open yet. */
export async function sitAs(person: Person, options: SeatOptions = {}): Promise<Seat> {
  const { allow = [], ...others } = options
  const isUsual = Object.keys(others).length === 0
  const expected = [...EXPECTED, ...allow]
  const seat = (isUsual && free.get(world)?.pop()) || (await takeSeat(world.server.url, others))
  seat.allow = expected
  if (isUsual) lent.set(seat, world)
  await enter(seat.context, world, person)
  return seat
}

export const sitAsOwner = (options?: SeatOptions) => sitAs(world.server, options)

export async function closeSeat(seat: Seat): Promise<void> {
  const troubles = seat.troubles.splice(0)
  const place = lent.get(seat)
  if (place === undefined) await seat.context.close()
  else {
    await clearSeat(seat, place.server.url)
    free.set(place, [...(free.get(place) ?? []), seat])
  }
  expect(troubles).toEqual([])
}

/** A second owner of the same server. */
export async function addOwner(username: string) {
  const password = 'second-owner-password'
  const user = await world.owner.createUser({ body: { username, first_name: 'Second', role: 'owner', password } })
  return { id: user.id, username, password, client: createClient({ url: world.server.url, apiKey: user.api_key ?? '' }) }
}

/** Checks that other users see neither links nor pages; `testid` is an element that owners see. */
export async function expectNothingForOthers(path: string, testid: string): Promise<void> {
  for (const person of [world.annotator, world.admin]) {
    const seat = await sitAs(person)
    const { page } = seat
    await page.goto('')
    await page.getByTestId('account').click()
    await page.getByTestId('my-settings').waitFor()
    // Admins see only the workspaces they belong to.
    expect(await page.getByTestId('administration').count()).toBe(person === world.admin ? 1 : 0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('audit log')
    expect(await page.getByRole('option', { name: 'Audit log' }).count()).toBe(0)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.goto(path)
    await page.getByTestId('owners-only').waitFor()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Owners only')
    expect(await page.getByTestId(testid).count()).toBe(0)
    // The page sends no request that would be rejected.
    expect(asked.filter(one => /\/api\/v1\/(webhooks|jobs|audit-log|users|invitations)/.test(one))).toEqual([])
    await closeSeat(seat)
  }
}

/** Runs a script if it is ever parsed as markup. */
export const HOSTILE = '<img src=x onerror="window.__ran=1"> "\'`</pre><script>window.__ran=1</script>'
export const hasScriptRun = (page: Page) => page.evaluate(() => '__ran' in window)
