/** A person at the form of a dataset: what the tests of questions do and look at again and again. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openDataset, storedResponse } from './annotating.ts'
import { closeBrowser, type Seat, signIn, takeSeat } from './browser.ts'
import { openWorld, type Plan, seed, texts, type World } from './seed.ts'

export let world: World
export let page: Page

/** An admin, signed in, for all tests of the file; each must leave the page without errors, but those that it expects. */
export function takeDesk(allow: RegExp[] = []): void {
  let seat: Seat
  beforeAll(async () => {
    world = await openWorld({ SERVICE_LABEL_SELECTION_OPTIONS_MAX_ITEMS: '1000' })
    seat = await takeSeat(world.server.url, { allow: [/401/, ...allow] })
    page = seat.page
    await signIn(page, world.admin.username, world.admin.password)
  })
  afterAll(async () => {
    await closeBrowser()
    await world?.close()
  })
  afterEach(() => expect(seat.troubles.splice(0)).toEqual([]))
}

export async function begin(name: string, plan: Omit<Plan, 'name' | 'records'> & Partial<Plan>): Promise<string> {
  const id = await seed(world, { name, records: texts(3), ...plan })
  await openDataset(page, id)
  return id
}
export async function press(...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key)
}
/** Sends what was answered, and reads it back. */
export async function submitted(datasetId: string, at = 0) {
  const asAdmin = { ...world, annotator: world.admin }
  await press('Enter')
  await expect.poll(async () => (await storedResponse(asAdmin, datasetId, at))?.status).toBe('submitted')
  return (await storedResponse(asAdmin, datasetId, at))?.values ?? {}
}
export const question = (name: string) => page.getByTestId(`question-${name}`)
export const option = (name: string, value: string) => question(name).locator(`[data-testid=option][data-value="${value}"]`)
