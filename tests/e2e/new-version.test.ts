/** A new version of the web UI: how open tabs and new visits load it, and what does not count as one. */
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectRecordText, expectSaved, openDataset, storedResponse } from './annotation-page.ts'
import { enter, type Seat, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'
import { openUpgradeProxy, type UpgradeProxy } from './upgrade-proxy.ts'

takeWorld()

/** Files of the old build no longer exist, or there is no network. */
const EXPECTED = [
  /Failed to load resource/,
  /ERR_INTERNET_DISCONNECTED/,
  /Unable to preload CSS/,
  /Failed to fetch dynamically imported module/,
]

let proxy: UpgradeProxy
const seats: Seat[] = []
beforeEach(async () => {
  proxy = await openUpgradeProxy(world.server.url)
})
afterEach(async () => {
  const troubles = seats.flatMap(seat => seat.troubles)
  for (const { context } of seats.splice(0)) await context.close()
  await proxy.close()
  expect(troubles).toEqual([])
})

/** `bare`: without a service worker, as over plain HTTP. */
async function sit({ bare = false } = {}): Promise<Seat> {
  const seat = await takeSeat(proxy.url, { allow: EXPECTED, ...(bare ? { serviceWorkers: 'block' } : {}) })
  seats.push(seat)
  await enter(seat.context, world, world.annotator)
  await seat.page.goto('')
  await seat.page.getByTestId('dataset-list').waitFor()
  if (!bare) await seat.page.evaluate(async () => void (await navigator.serviceWorker.ready))
  return seat
}

const letters = (name: string, count = 6) =>
  seed(world, { name, questions: [label('answer', ['yes', 'no'])], records: texts(count) })

const isNew = (page: Page) =>
  page.evaluate(() => document.querySelector('script[src]')?.getAttribute('src')?.includes('__2') === true)
const offer = (page: Page) => page.getByTestId('new-version')
/** Simulates returning to the tab. */
const look = (page: Page) => page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))
/** Sets a mark that is lost on reload. */
const mark = (page: Page) => page.evaluate(() => void document.documentElement.setAttribute('data-mark', 'here'))
const isMarked = (page: Page) => page.evaluate(() => document.documentElement.hasAttribute('data-mark'))

describe('a part that cannot be fetched', () => {
  test('without a network is not a new version: it says so, and comes when it is asked for again', async () => {
    const id = await letters('part offline')
    const { page, context } = await sit({ bare: true })
    await openDataset(page, id)
    await mark(page)
    await context.setOffline(true)
    await page.getByTestId('bulk-toggle').click()
    const missing = page.getByTestId('missing-part')
    await missing.first().waitFor()
    expect(await offer(page).count()).toBe(0)
    await context.setOffline(false)
    await missing.first().getByRole('button').click()
    await page.getByTestId('tick').first().waitFor()
    expect(await missing.count()).toBe(0)
    // The styles of the component are loaded too.
    expect(
      await page.evaluate(() =>
        [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(({ sheet }) => sheet),
      ),
    ).toBe(true)
    expect(await isMarked(page)).toBe(true)
  })

  test('a dialog without a network does not open, says why, and opens when it is asked for again', async () => {
    const id = await letters('dialog offline')
    const { page, context } = await sit({ bare: true })
    await openDataset(page, id)
    await mark(page)
    await context.setOffline(true)
    const recent = page.getByRole('button', { name: 'Recent records' })
    await recent.click()
    await expect.poll(() => page.getByTestId('toast').innerText()).toContain('could not be loaded')
    expect(await offer(page).count()).toBe(0)
    await context.setOffline(false)
    await recent.click()
    await page.locator('dialog[open]').waitFor()
    expect(await isMarked(page)).toBe(true)
  })

  test('a page without a network stays away, and opens when it is asked for again', async () => {
    const { page, context } = await sit({ bare: true })
    await mark(page)
    await context.setOffline(true)
    await page.getByTestId('account').click()
    await page.getByRole('menuitem', { name: 'My settings' }).click()
    await page.getByTestId('toast').waitFor()
    expect(await offer(page).count()).toBe(0)
    await context.setOffline(false)
    await page.getByTestId('toast').getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/user-settings')
    expect(await isMarked(page)).toBe(true)
  })

  test('because the server has a new build leads to the new build', async () => {
    const { page } = await sit({ bare: true })
    proxy.upgrade()
    await page.getByTestId('account').click()
    await page.getByRole('menuitem', { name: 'My settings' }).click()
    await expect.poll(() => isNew(page)).toBe(true)
    expect(new URL(page.url()).pathname).toBe('/user-settings')
  })
})

describe('an open tab', () => {
  test.each([{ bare: false }, { bare: true }])(
    'learns of a new build when it is looked at, and takes it at the next record: $bare',
    async ({ bare }) => {
      const id = await letters(`next record ${bare}`)
      const { page } = await sit({ bare })
      await openDataset(page, id)
      await expectRecordText(page, 'Record number 0')
      proxy.upgrade()
      await look(page)
      await offer(page).waitFor()
      expect(await isNew(page)).toBe(false)
      await page.keyboard.press('1')
      await expect.poll(() => isNew(page)).toBe(true)
      await expectRecordText(page, 'Record number 1')
      expect(await storedResponse(world, id)).toMatchObject({ status: 'submitted' })
      expect(await offer(page).count()).toBe(0)
    },
  )

  test('learns of it while nobody does anything', async () => {
    const id = await letters('by itself')
    const { page } = await sit({ bare: true })
    await page.clock.install()
    await openDataset(page, id)
    proxy.upgrade()
    await page.clock.fastForward('06:00')
    await offer(page).waitFor()
    expect(await isNew(page)).toBe(false)
  })

  test('learns of it from another tab that found it', async () => {
    const { page, context } = await sit()
    proxy.upgrade()
    const other = await context.newPage()
    await other.goto('')
    expect(await isNew(other)).toBe(true)
    await offer(page).waitFor()
    // The tab that already has the new build gets no notice.
    expect(await offer(other).count()).toBe(0)
  })

  test('takes it at the next page', async () => {
    const id = await letters('next page')
    const { page } = await sit()
    await openDataset(page, id)
    proxy.upgrade()
    await look(page)
    await offer(page).waitFor()
    await page.locator('header .mark').click()
    await expect.poll(() => isNew(page)).toBe(true)
    await page.getByTestId('dataset-list').waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
  })

  test('does not take it while answers wait, nor while the person does something', async () => {
    const id = await letters('waiting')
    const { page, context } = await sit()
    await openDataset(page, id)
    await mark(page)
    proxy.upgrade()
    await look(page)
    await offer(page).waitFor()
    let refused = 0
    await context.route('**/api/v1/me/responses/bulk', async route => {
      refused++
      await route.abort()
    })
    await page.keyboard.press('1')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('offline')
    await page.keyboard.press('1')
    await expectRecordText(page, 'Record number 2')
    await expect.poll(() => refused).toBeGreaterThan(2)
    expect(await isMarked(page)).toBe(true)
    // Cancels the reload that waits until the answers are sent.
    await page.keyboard.press('Shift')
    await context.unrouteAll()
    await expectSaved(page)
    expect(await isMarked(page)).toBe(true)
    await page.keyboard.press('1')
    await expect.poll(() => isNew(page)).toBe(true)
    await expectRecordText(page, 'Record number 3')
  })

  test('is not loaded anew while the server does not answer', async () => {
    const id = await letters('away')
    const { page, context } = await sit({ bare: true })
    await openDataset(page, id)
    await mark(page)
    proxy.upgrade()
    await look(page)
    await offer(page).waitFor()
    await context.setOffline(true)
    await offer(page).getByRole('button').click()
    await expect.poll(() => page.getByTestId('toast').innerText()).toContain('Cannot reach the server')
    expect(await isMarked(page)).toBe(true)
    await context.setOffline(false)
    await offer(page).getByRole('button').click()
    await expect.poll(() => isNew(page)).toBe(true)
  })
})

describe('a visit after an upgrade', () => {
  test('runs the new build at once', async () => {
    const id = await letters('visit')
    const { page } = await sit()
    await openDataset(page, id)
    proxy.upgrade()
    await page.reload()
    await expect.poll(() => isNew(page)).toBe(true)
    await expectRecordText(page, 'Record number 0')
    expect(await offer(page).count()).toBe(0)
  })

  test('starts with the kept build when the server is slow, and is offered the new one when it comes', async () => {
    const id = await letters('slow')
    const { page } = await sit()
    await openDataset(page, id)
    proxy.upgrade()
    proxy.delayPages(8_000)
    await page.reload()
    await expectRecordText(page, 'Record number 0')
    expect(await isNew(page)).toBe(false)
    await offer(page).waitFor()
  })
})
