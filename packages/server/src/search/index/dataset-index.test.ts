import { toQueueFilters } from '@postil/domain/search/counts'
import type { SearchDocument } from '@postil/domain/search/document'
import type { SearchQuery, Target } from '@postil/domain/search/query'
import { parseTextQuery } from '@postil/domain/search/text-query'
import { PLAIN_QUERY, plainDocument } from '@postil/domain/testing/plain-search'
import { processorMs } from '@postil/domain/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { RECORD_ID } from '../columns/column-key.ts'
import { buildSegment } from '../segments/build.ts'
import { SegmentError } from '../segments/format.ts'
import { DatasetIndex } from './dataset-index.ts'
import { loadColumn } from './testing/column-blocks.ts'

const uuid = (n: number) => `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const LENGTH: Target = { kind: 'metadata', propertyId: 'length', as: 'number' }
const SOURCE: Target = { kind: 'metadata', propertyId: 'source', as: 'keyword' }
const STATUS: Target = { kind: 'record', property: 'status', as: 'keyword' }

const QUERY: SearchQuery = { ...PLAIN_QUERY, limit: 20 }
const text = (q: string): SearchQuery => ({ ...QUERY, text: { tree: parseTextQuery(q), field: null } })
const sortedBy = (target: Target): SearchQuery => ({ ...QUERY, sort: [{ target, order: 'asc' }] })

const document = (recordNo: number, length: number): SearchDocument => ({
  ...plainDocument(uuid(recordNo)),
  metadata: new Map([['length', [length]]]),
})
const segment = (texts: Record<number, string>) =>
  buildSegment(Object.entries(texts).map(([recordNo, piece]) => ({ recordNo: Number(recordNo), pieces: [[piece]] })))

function open(recordNos: readonly number[] = []): DatasetIndex {
  const index = new DatasetIndex(['prompt'])
  loadColumn(index, RECORD_ID, [{ recordNos, userIds: [], values: recordNos.map(uuid) }])
  return index
}
const find = (index: DatasetIndex, query: SearchQuery) => index.search(query).hits.map(({ recordNo }) => recordNo)

describe('records', () => {
  test('one that becomes known late is found at its place', () => {
    const index = open([10, 20, 40])
    loadColumn(index, LENGTH, [{ recordNos: [10, 20, 40], userIds: [], values: [3, 2, 1] }])
    expect(find(index, sortedBy(LENGTH))).toEqual([40, 20, 10])
    index.put([
      { recordNo: 30, document: document(30, 2) },
      { recordNo: 5, document: document(5, 9) },
    ])
    expect(find(index, QUERY)).toEqual([5, 10, 20, 30, 40])
    // Records 20 and 30 have the same value, so the id breaks the tie.
    expect(find(index, sortedBy(LENGTH))).toEqual([40, 20, 30, 10, 5])
  })

  test('one that was deleted is gone, and deleting what is unknown changes nothing', () => {
    const index = open([1, 2])
    index.put([
      { recordNo: 1, document: null },
      { recordNo: 7, document: null },
    ])
    expect(index.search(QUERY)).toEqual({ hits: [{ recordNo: 2, score: 1 }], total: 1 })
  })

  test('hundreds that become known late among very many take a short time', async () => {
    const known = Array.from({ length: 200_000 }, (_, i) => i * 2 + 2)
    const index = open(known)
    loadColumn(index, LENGTH, [{ recordNos: known, userIds: [], values: known }])
    find(index, sortedBy(LENGTH))
    const late = Array.from({ length: 500 }, (_, i) => 390_001 + i * 2)
    expect(await processorMs(() => index.put(late.map(no => ({ recordNo: no, document: document(no, no) }))))).toBeLessThan(2_000)
    expect(find(index, { ...sortedBy(LENGTH), offset: 195_000, limit: 3 })).toEqual([390_001, 390_002, 390_003])
  })
})

describe('text', () => {
  test('the text of a record is that of the newest segment, in whatever order they are added', () => {
    const index = open([1, 2])
    index.addSegment(5, segment({ 1: 'new' }))
    index.addSegment(3, segment({ 1: 'old', 2: 'old' }))
    expect([find(index, text('old')), find(index, text('new')), find(index, text('-old'))]).toEqual([[2], [1], [1]])
  })

  test('the text of a record may come before the record', () => {
    const index = open([2])
    index.addSegment(1, segment({ 1: 'fox', 2: 'fox' }))
    expect(find(index, text('fox'))).toEqual([2])
    index.put([{ recordNo: 1, document: document(1, 1) }])
    expect(find(index, text('fox'))).toEqual([1, 2])
  })

  test('a damaged segment is refused, and the index stays as it was', () => {
    const index = open([1])
    index.addSegment(1, segment({ 1: 'fox' }))
    expect(() => index.addSegment(2, segment({ 1: 'dog' }).subarray(1))).toThrow(SegmentError)
    expect(find(index, text('fox'))).toEqual([1])
  })

  test('segments are loaded by the first query with text', () => {
    const index = open([1])
    index.expectSegments([4, 6])
    expect(index.missing(QUERY).segments).toEqual([])
    expect(index.missing(text('fox')).segments).toEqual([4, 6])
    index.addSegment(4, segment({ 1: 'fox' }))
    // Segment 6 was merged with a newer one.
    index.expectSegments([4, 8])
    expect(index.missing(text('fox')).segments).toEqual([8])
  })
})

describe('segments that were merged where they are stored', () => {
  const missing = (index: DatasetIndex) => index.missing(text('fox')).segments
  /** Creates an index with segments 1, 2, … in memory, each with the text of one record. */
  function openWith(count: number): DatasetIndex {
    const recordNos = Array.from({ length: count }, (_, i) => i + 1)
    const index = open(recordNos)
    index.expectSegments(recordNos)
    for (const recordNo of recordNos) index.addSegment(recordNo, segment({ [recordNo]: `fox w${recordNo}` }))
    return index
  }
  const merged = (from: number, to: number) =>
    segment(Object.fromEntries(Array.from({ length: to - from + 1 }, (_, i) => [from + i, `fox w${from + i}`])))

  test.each([
    { count: 12, stored: [12], replaced: [12], why: 'many are in memory' },
    { count: 12, stored: [4, 12], replaced: [], why: 'not many more are in memory than are stored' },
    { count: 14, stored: [1, 14], replaced: [14], why: 'some are in memory as they are stored' },
  ])('of $count in memory, with $stored stored, $replaced are read again: $why', ({ count, stored, replaced }) => {
    const index = openWith(count)
    index.expectSegments(stored)
    expect(missing(index)).toEqual(replaced)
    const before = index.bytes
    for (const no of replaced) index.addSegment(no, merged((stored[stored.indexOf(no) - 1] ?? 0) + 1, no))
    if (replaced.length > 0) expect(index.bytes).toBeLessThan(before)
    expect(find(index, text('fox'))).toHaveLength(count)
    expect(missing(index)).toEqual([])
    // After the same call again, nothing is missing.
    index.expectSegments(stored)
    expect(missing(index)).toEqual([])
  })

  test('one of which only a part is in memory is read', () => {
    const index = open([1, 2, 3])
    index.expectSegments([1, 2, 3])
    index.addSegment(3, segment({ 3: 'fox' }))
    index.expectSegments([3])
    expect(missing(index)).toEqual([3])
    index.addSegment(3, segment({ 1: 'fox', 2: 'fox', 3: 'fox' }))
    expect(find(index, text('fox'))).toEqual([1, 2, 3])
  })

  test('one that was merged with newer ones than the index knows is read, and newer texts in memory stay', () => {
    const index = openWith(2)
    index.expectSegments([7, 9])
    expect(missing(index)).toEqual([7, 9])
    index.addSegment(9, segment({ 1: 'newest' }))
    index.addSegment(7, segment({ 1: 'dog', 2: 'dog' }))
    expect([find(index, text('fox')), find(index, text('dog')), find(index, text('newest'))]).toEqual([[], [2], [1]])
  })

  test('the text of a record that was deleted is gone with them', () => {
    const index = openWith(12)
    index.put([{ recordNo: 5, document: null }])
    index.expectSegments([12])
    const texts = Object.fromEntries([1, 2, 3, 12].map(no => [no, 'fox']))
    index.addSegment(12, segment(texts))
    expect(find(index, text('fox'))).toEqual([1, 2, 3, 12])
  })

  test('a damaged one is refused, and those in memory stay', () => {
    const index = openWith(12)
    index.expectSegments([12])
    expect(() => index.addSegment(12, merged(1, 12).subarray(1))).toThrow(SegmentError)
    expect([find(index, text('fox')).length, missing(index)]).toEqual([12, [12]])
  })

  test('those that are evicted come back as they are stored', () => {
    const index = openWith(4)
    index.expectSegments([2, 4])
    index.missing(QUERY)
    expect(index.evict(0).segments).toEqual([1, 2, 3, 4])
    expect(missing(index)).toEqual([2, 4])
  })
})

describe('memory', () => {
  const load = (index: DatasetIndex, query: SearchQuery) => {
    for (const key of index.missing(query).columns) loadColumn(index, key, [])
  }

  test('a new index needs the ids first, and answers of a search the columns it names', () => {
    const index = new DatasetIndex([])
    expect(index.missing(sortedBy(LENGTH)).columns).toEqual([RECORD_ID, { kind: 'metadata', propertyId: 'length', as: 'number' }])
    loadColumn(index, RECORD_ID, [])
    expect(index.missing(QUERY)).toEqual({ columns: [], segments: [] })
  })

  test.each([
    { counted: 'no queues', queue: null, queues: [], columns: [] },
    { counted: 'a queue', queue: null, queues: ['draft'] as const, columns: ['responses'] },
    { counted: 'those that wait', queue: null, queues: ['pending'] as const, columns: ['responses', 'record'] },
    { counted: 'values in a queue', queue: 'pending' as const, queues: [], columns: ['responses', 'record'] },
  ])('a count of $counted needs, beside the ids and the counted values: $columns', ({ queue, queues, columns }) => {
    const targets = [{ target: LENGTH, as: 'integer' as const, filters: toQueueFilters(queue) }]
    const missing = open([1]).missing({ text: null, filters: [], userId: uuid(1), queue, queues, targets })
    expect(missing.columns.map(({ kind }) => kind)).toEqual([...columns, 'metadata'])
  })

  test('a column with values of an unknown record is refused, and is still missing', () => {
    const index = open([1])
    const blocks = [1, 2].map(recordNo => ({ recordNos: [recordNo], userIds: [], values: [recordNo] }))
    expect(() => loadColumn(index, LENGTH, blocks)).toThrow('does not know a record')
    expect(index.missing(sortedBy(LENGTH)).columns).toEqual([{ kind: 'metadata', propertyId: 'length', as: 'number' }])
  })

  test('a column is missing until its last block is in, and is loaded anew if that never comes', () => {
    const index = open([1, 2])
    index.beginColumn(LENGTH)
    index.fillColumn(LENGTH, { recordNos: [1], userIds: [], values: [5] })
    index.put([{ recordNo: 2, document: document(2, 7) }])
    expect(index.missing(sortedBy(LENGTH)).columns).toEqual([{ kind: 'metadata', propertyId: 'length', as: 'number' }])
    loadColumn(index, LENGTH, [{ recordNos: [2], userIds: [], values: [5] }])
    expect(index.missing(sortedBy(LENGTH)).columns).toEqual([])
    const filter = { kind: 'number_ranges' as const, target: LENGTH, ranges: [{ from: 5, to: 5 }] }
    expect(find(index, { ...QUERY, filters: [filter] })).toEqual([2])
  })

  test('what was not used for longest is evicted first, and only as much as needed', () => {
    const index = open([1, 2])
    index.addSegment(1, segment({ 1: 'fox' }))
    for (const query of [sortedBy(SOURCE), text('fox'), sortedBy(LENGTH), sortedBy(STATUS)]) load(index, query)
    index.put([{ recordNo: 1, document: document(1, 1) }])
    const full = index.bytes
    expect(index.evict(full)).toEqual({ columns: [], segments: [] })
    index.missing(sortedBy(LENGTH))
    const source = { kind: 'metadata', propertyId: 'source', as: 'keyword' }
    const status = { kind: 'record', property: 'status' }
    expect(index.evict(full - 1)).toEqual({ columns: [source], segments: [] })
    expect(index.evict(0)).toEqual({ columns: [status], segments: [1] })
    expect(index.loaded()).toEqual([RECORD_ID, { kind: 'metadata', propertyId: 'length', as: 'number' }])
  })

  test('answers are evicted with the responses they belong to', () => {
    const index = open([1])
    load(index, sortedBy({ kind: 'response', questionId: 'q', questionName: 'q', as: 'number' }))
    index.put([{ recordNo: 1, document: document(1, 1) }])
    load(index, QUERY)
    expect(
      index
        .evict(0)
        .columns.map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['response', 'responses'])
  })

  test('a column whose values changed otherwise is dropped with the orders made from it', () => {
    const index = open([1, 2])
    const rows = (values: number[]) => [{ recordNos: [1, 2], userIds: [], values }]
    loadColumn(index, LENGTH, rows([1, 2]))
    expect(find(index, sortedBy(LENGTH))).toEqual([1, 2])
    index.drop(LENGTH)
    loadColumn(index, LENGTH, rows([2, 1]))
    expect(find(index, sortedBy(LENGTH))).toEqual([2, 1])
  })
})
