/** A person at the list of many records: what the tests of it do and look at again and again. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { closeBrowser, type Seat, signIn, takeSeat } from './browser.ts'
import { label, openWorld, seed, texts, type World } from './seed.ts'

export let world: World
export let page: Page

/** An annotator, signed in anew for each test of the file, which must leave the page without errors. */
export function takeBulkDesk(): void {
  let seat: Seat
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(async () => {
    await closeBrowser()
    await world?.close()
  })
  beforeEach(async () => {
    seat = await takeSeat(world.server.url, { allow: [/401/] })
    page = seat.page
    await signIn(page, world.annotator.username, world.annotator.password)
    return async () => {
      await seat.context.close()
      expect(seat.troubles).toEqual([])
    }
  })
}

export const LABELS = ['good', 'bad', 'mixed']
export const SLOW = { timeout: 10_000 }

export async function open(datasetId: string, query = '?page=1~10') {
  await page.goto(`dataset/${datasetId}/annotation-mode${query}`)
  await page.getByTestId('record').first().waitFor()
  await page.getByTestId('submit').waitFor()
}
export const plain = (name: string, count: number) =>
  seed(world, { name, questions: [label('sentiment', LABELS)], records: texts(count) })

export const selected = () => page.getByTestId('selected').innerText()
export const total = () => page.getByTestId('total').innerText()
export const tick = (at: number, isRange = false) =>
  page
    .getByTestId('tick')
    .nth(at)
    .click({ modifiers: isRange ? ['Shift'] : [] })
export const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}
export const isSaved = () => expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('saved')

async function countMine(datasetId: string) {
  const { responses } = await world.annotator.client.getMyDatasetMetrics({ params: { dataset_id: datasetId } })
  return [responses.pending, responses.draft, responses.discarded, responses.submitted]
}
export const counts = (datasetId: string, ...expected: number[]) =>
  expect.poll(() => countMine(datasetId), SLOW).toEqual(expected)
