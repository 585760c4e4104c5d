import { expect, test } from 'vitest'
import { Bitmap } from '../bitmap.ts'
import type { TextDocument } from '../engine.ts'
import { buildSegment } from './build.ts'
import { runMerge } from './dataset.contract.ts'
import { mergeSegments } from './merge.ts'
import { openSegment } from './segment.ts'

const toDocuments = (from: number, count: number): TextDocument[] =>
  Array.from({ length: count }, (_, i) => ({
    recordNo: from + i,
    pieces: [[`common w${(from + i) % 97}`, `common again`], null],
  }))
const open = (documents: TextDocument[]) => openSegment(buildSegment(documents))

test('a merge gives the segment that would be built from the documents that are left', () => {
  const parts = [toDocuments(1, 40), toDocuments(41, 1), [], toDocuments(42, 30)]
  const deleted = new Set([1, 5, 41, 71])
  const sources = parts.map(documents => {
    const bits = new Bitmap(documents.length)
    documents.forEach(({ recordNo }, i) => {
      if (deleted.has(recordNo)) bits.set(i)
    })
    return { segment: open(documents), deleted: bits }
  })
  const left = parts.flat().filter(({ recordNo }) => !deleted.has(recordNo))
  expect(runMerge(sources)).toEqual(buildSegment(left))
  expect(runMerge(parts.map(documents => ({ segment: open(documents), deleted: null })))).toEqual(buildSegment(parts.flat()))
})

test('a merge of nothing, and one of which nothing is left, are segments without documents', () => {
  const all = new Bitmap(3)
  all.fill([0, 1, 2])
  expect(openSegment(runMerge([])).documents).toBe(0)
  const merged = openSegment(runMerge([{ segment: open(toDocuments(1, 3)), deleted: all }]))
  expect([merged.documents, merged.fields[0]?.terms, merged.fields[0]?.words]).toEqual([0, 0, 0])
})

test('a document that is deleted during a merge stays in the merged segment', () => {
  const deleted = new Bitmap(20)
  const steps = mergeSegments([{ segment: open(toDocuments(1, 20)), deleted }])
  steps.next()
  deleted.set(3)
  let step = steps.next()
  while (!step.done) step = steps.next()
  expect(openSegment(step.value).documents).toBe(20)
})

test('a large merge is cut into pieces, also within one word', () => {
  const segment = open(toDocuments(1, 100_000).map(document => ({ ...document, pieces: [['same']] })))
  let pieces = 0
  for (const _ of mergeSegments([{ segment, deleted: null }])) pieces++
  // Record numbers, lengths and postings of 100,000 documents take at least three steps each.
  expect(pieces).toBeGreaterThanOrEqual(9)
})

test('segments with different fields are not merged', () => {
  const other = open([{ recordNo: 1, pieces: [['a']] }])
  expect(() =>
    runMerge([
      { segment: other, deleted: null },
      { segment: open(toDocuments(2, 1)), deleted: null },
    ]),
  ).toThrow('different numbers of fields')
})
