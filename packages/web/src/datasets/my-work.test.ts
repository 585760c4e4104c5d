import { expect, test } from 'vitest'
import { aDataset } from './dataset-fixtures.ts'
import { listMyWork } from './my-work.ts'

/** One more record is pending in total than for the user, because others have completed it. */
const withPending = (name: string, pending_for_me: number, last_activity_at: string, draft = 0) => {
  const responses = { count: 0, total: 9, submitted: 0, discarded: 0, draft, pending: pending_for_me + 1 }
  return aDataset({ name, last_activity_at, metrics: { records: { count: 9 }, responses, pending_for_me } })
}

const datasets = [
  withPending('old', 4, '2026-01-01'),
  withPending('done', 0, '2026-01-09'),
  withPending('new', 5, '2026-01-08', 2),
  withPending('middle', 6, '2026-01-05'),
  withPending('oldest', 7, '2025-01-01'),
]
const names = (last: Parameters<typeof listMyWork>[1]) => listMyWork(datasets, last).map(({ dataset }) => dataset.name)

test('my work is what has pending records, by last activity, three at most', () => {
  expect(names(null)).toEqual(['new', 'middle', 'old'])
  expect(listMyWork(datasets, null)[0]).toMatchObject({ left: 5, drafts: 2, lastQuery: null })
})

test('my work begins where the person was last, with the way back to that place', () => {
  const last = { datasetId: 'id-oldest', query: 'page=14&status=pending' }
  expect(names(last)).toEqual(['oldest', 'new', 'middle'])
  expect(listMyWork(datasets, last).map(({ lastQuery }) => lastQuery)).toEqual([last.query, null, null])
})

test('a dataset with nothing left is not offered, even if the person was there last', () => {
  expect(names({ datasetId: 'id-done', query: '' })).toEqual(['new', 'middle', 'old'])
})

test('nothing is left where no dataset tells of pending records', () => {
  expect(listMyWork([aDataset({ name: 'bare' })], null)).toEqual([])
})
