/** Actions and checks shared by the tests of the bulk view. */
import { expect } from 'vitest'
import { page, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

export const LABELS = ['good', 'bad', 'mixed']

export async function openBulkView(datasetId: string, query = '?page=1~10') {
  await page.goto(`dataset/${datasetId}/annotation-mode${query}`)
  await page.getByTestId('record').first().waitFor()
  await page.getByTestId('submit').waitFor()
}
export const seedPlainRecords = (name: string, count: number) =>
  seed(world, { name, questions: [label('sentiment', LABELS)], records: texts(count) })

export const selectedText = () => page.getByTestId('selected').innerText()
export const totalText = () => page.getByTestId('total').innerText()
export const tick = (at: number, isRange = false) =>
  page
    .getByTestId('tick')
    .nth(at)
    .click({ modifiers: isRange ? ['Shift'] : [] })
export const expectSaved = () => expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('saved')

async function countMine(datasetId: string) {
  const { responses } = await world.annotator.client.getMyDatasetMetrics({ params: { dataset_id: datasetId } })
  return [responses.pending, responses.draft, responses.discarded, responses.submitted]
}
export const expectCounts = (datasetId: string, ...expected: number[]) =>
  expect.poll(() => countMine(datasetId)).toEqual(expected)
