/** Tests with a million records: results stay exact, and time and memory stay proportional. */
import { QUEUES, toQueueFilters } from '@postil/domain/search/counts'
import type { Filter, SearchQuery, Target } from '@postil/domain/search/query'
import { processorMs } from '@postil/domain/testing/processor-time'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ColumnKey } from './column-key.ts'
import { countColumns } from './count.ts'
import { matchAll } from './filter.ts'
import { IdColumn } from './id-column.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import { RecordColumns } from './record-columns.ts'
import { Responses } from './responses.ts'
import { listPage } from './search.ts'

const SIZE = 1_000_000
const RESPONSES = 200_000
const USER = '018f0000-0000-7000-8000-000000000001'
const SOURCE: Target = { kind: 'metadata', propertyId: 'source', as: 'keyword' }
const LENGTH: Target = { kind: 'metadata', propertyId: 'length', as: 'number' }
const STATUS: Target = { kind: 'record', property: 'status', as: 'keyword' }

const sourceOf = (i: number) => `source ${(i * 7919) % 101}`
const lengthOf = (i: number) => (i * 104_729) % 1_000_003
const idOf = (i: number) => `018f0000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`
const isMatch = (i: number) => (i * 7919) % 101 < 50 && lengthOf(i) >= 500_000

const columns = new RecordColumns()
const ordinals = Uint32Array.from({ length: SIZE }, (_, i) => i)

function load<C extends KeywordColumn | NumberColumn | IdColumn | Responses>(key: ColumnKey, type: new () => C): C {
  const column = columns.add(key)
  if (!(column instanceof type)) throw new Error('The key makes another column')
  return column
}

beforeAll(() => {
  columns.live.fill(ordinals)
  load({ kind: 'record', property: 'id' }, IdColumn).fill(ordinals, Array.from(ordinals, idOf))
  load({ kind: 'record', property: 'status' }, KeywordColumn).fill(
    ordinals,
    Array.from(ordinals, i => (i % 4 === 0 ? 'completed' : 'pending')),
  )
  load(SOURCE, KeywordColumn).fill(ordinals, Array.from(ordinals, sourceOf))
  load(LENGTH, NumberColumn).fill(ordinals, Array.from(ordinals, lengthOf))
  const answered = ordinals.subarray(0, RESPONSES)
  load({ kind: 'responses' }, Responses).fill(
    answered,
    Array.from(answered, () => USER),
    Array.from(answered, i => (i % 2 === 0 ? 'draft' : 'submitted')),
  )
})

const filters: Filter[] = [
  { kind: 'values', target: SOURCE, values: Array.from({ length: 50 }, (_, i) => `source ${i}`) },
  { kind: 'number_ranges', target: LENGTH, ranges: [{ from: 500_000, to: null }] },
]
const query: SearchQuery = {
  text: null,
  similar: null,
  filters,
  sort: [{ target: LENGTH, order: 'desc' }],
  userId: null,
  shuffleFor: null,
  offset: 0,
  limit: 50,
}
function search(query: SearchQuery) {
  const matches = matchAll(columns.live, query.filters, { columns, userId: query.userId })
  const total = matches.count()
  return { ...listPage(columns, query, matches, total), total }
}
const matching = () => [...ordinals].filter(isMatch)

describe('a million records', () => {
  test.each([0, 100_000])('the page at offset %i is that of a full sort', offset => {
    const { ordinals: found, total } = search({ ...query, offset })
    const expected = matching().sort((a, b) => lengthOf(b) - lengthOf(a) || a - b)
    expect([[...found], total]).toEqual([expected.slice(offset, offset + 50), expected.length])
  })

  test('a page of few matches is that of a full sort, before and after the order of all records is known', () => {
    const sort: SearchQuery['sort'] = [
      { target: STATUS, order: 'asc' },
      { target: LENGTH, order: 'desc' },
    ]
    const few: SearchQuery = { ...query, filters: [{ kind: 'values', target: SOURCE, values: ['source 3'] }], sort }
    const expected = [...ordinals]
      .filter(i => sourceOf(i) === 'source 3')
      .sort((a, b) => Number(a % 4 !== 0) - Number(b % 4 !== 0) || lengthOf(b) - lengthOf(a) || a - b)
    const before = search(few)
    search({ ...query, sort })
    for (const { ordinals: found, total } of [before, search(few)]) {
      expect([[...found], total]).toEqual([expected.slice(0, 50), expected.length])
    }
  })

  test('queues and values are counted exactly', () => {
    const target = { target: SOURCE, as: 'values' as const, filters: [...filters, ...toQueueFilters('draft')] }
    const counts = countColumns(
      columns,
      { text: null, filters, userId: USER, queue: null, queues: QUEUES, targets: [target] },
      null,
    )
    const matches = matching()
    const drafts = matches.filter(i => i < RESPONSES && i % 2 === 0)
    expect(counts.total).toBe(matches.length)
    expect(counts.by_status).toEqual({
      pending: matches.filter(i => i >= RESPONSES && i % 4 !== 0).length,
      draft: drafts.length,
      submitted: matches.filter(i => i < RESPONSES && i % 2 === 1).length,
      discarded: 0,
    })
    const bySource = Map.groupBy(drafts, sourceOf)
    const [counted] = counts.targets
    if (counted === undefined || !('values' in counted)) throw new Error('terms are values')
    expect(new Map(counted.values.map(({ value, count }) => [value, count]))).toEqual(
      new Map([...bySource].map(([value, list]) => [value, list.length])),
    )
  })

  test('a search takes a few passes over its columns, in every order', async () => {
    const sorts: SearchQuery['sort'][] = [
      [{ target: LENGTH, order: 'asc' }],
      [
        { target: STATUS, order: 'desc' },
        { target: SOURCE, order: 'asc' },
      ],
      [{ target: { kind: 'record', property: 'id', as: 'keyword' }, order: 'desc' }],
    ]
    for (const sort of sorts) {
      for (const offset of [0, 400_000]) {
        expect(await processorMs(() => search({ ...query, filters: [], sort, offset }))).toBeLessThan(20_000)
      }
    }
  })

  test('columns take a few bytes for each record', () => {
    const expected = [16, 4, 4, 8, 5]
    for (const [i, { bytes }] of columns.sizes().entries()) {
      // Arrays may be up to a quarter larger than needed, because they grow by that share.
      expect(bytes / SIZE / (expected[i] ?? 0)).toBeGreaterThan(0.8)
      expect(bytes / SIZE / (expected[i] ?? 0)).toBeLessThan(1.26)
    }
  })
})
