/**
 * Random writes, late records, segment merges, evictions and loads. Searches and counts must return the same results as the
 * oracle.
 */
import type { Id } from '@postil/domain/schema'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchDocument } from '@postil/domain/search/document'
import { searchNaively } from '@postil/domain/search/naive'
import { countNaively } from '@postil/domain/search/naive-counts'
import type { SearchQuery } from '@postil/domain/search/query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toExpectedOrder } from '../columns/testing/expected-order.ts'
import { ascendingId, content, count, search } from '../columns/testing/random-searches.ts'
import { plainScore } from '../segments/plain.contract.ts'
import { pieces, textQuery } from '../segments/testing/random-texts.ts'
import { DatasetModel, type RecordWrite, TEXT_FIELDS } from './testing/dataset-model.ts'

const RECORD_NO_MAX = 60
const recordNo = fc.integer({ min: 1, max: RECORD_NO_MAX })

const record = fc.record({
  recordNo,
  content,
  id: fc.uuid(),
  texts: fc.tuple(pieces, pieces),
  changesText: fc.boolean(),
})
const write = fc.record({
  kind: fc.constant('write' as const),
  records: fc.uniqueArray(record, { minLength: 1, maxLength: 5, selector: one => one.recordNo }),
  textsFirst: fc.boolean(),
  addsTexts: fc.boolean(),
})
const text = fc.option(
  textQuery.map(({ tree, field }) => ({ tree, field: field === null ? null : (TEXT_FIELDS[field] ?? 'unknown') })),
  { nil: null, freq: 3 },
)
const bytesMax = fc.oneof({ weight: 8, arbitrary: fc.constant(1_000_000) }, fc.constantFrom(0, 5_000, 50_000, 150_000))

const merge = fc.record({
  kind: fc.constant('merge' as const),
  newer: fc.nat({ max: 4 }),
  size: fc.constantFrom(1, 2, 3, 4, 8, 30),
  meanwhile: fc.option(write, { nil: null }),
})
const other = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), recordNo }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), recordNos: fc.array(recordNo, { maxLength: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expect' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('evict' as const), bytesMax }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
)
const query = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('search' as const), at: fc.nat(), text, bytesMax }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('count' as const), at: fc.nat(), text, bytesMax }) },
)
interface Weights {
  writes: number
  merges: number
  others: number
  queries: number
}
const stepWith = ({ writes, merges, others, queries }: Weights) =>
  fc.oneof(
    { weight: writes, arbitrary: write },
    { weight: merges, arbitrary: merge },
    { weight: others, arbitrary: other },
    { weight: queries, arbitrary: query },
  )
// Only a few, so that they are repeated after writes and check that columns and orders were updated.
const queries = fc.record({
  searches: fc.array(search, { minLength: 1, maxLength: 3 }),
  counts: fc.array(count, { minLength: 1, maxLength: 2 }),
  /** True if ids ascend with record numbers. */
  isAscending: fc.boolean(),
})
type StepOf<T> = T extends fc.Arbitrary<infer S> ? S : never
type Step = StepOf<ReturnType<typeof stepWith>>
type Queries = StepOf<typeof queries>

const pick = <T>(list: readonly T[], at: number) => list[at % list.length] as T

function run(model: DatasetModel, step: Step, { searches, counts, isAscending }: Queries): void {
  switch (step.kind) {
    case 'write':
      runWrite(model, step, isAscending)
      return
    case 'delete':
      if (model.isKnown(step.recordNo)) model.delete(step.recordNo)
      return
    case 'repeat':
      model.repeat(step.recordNos)
      return
    case 'merge': {
      const segmentNos = model
        .segmentNos()
        .toReversed()
        .slice(step.newer, step.newer + step.size)
        .reverse()
      const { meanwhile } = step
      if (segmentNos.length > 0) model.merge(segmentNos, () => meanwhile && runWrite(model, meanwhile, isAscending))
      return
    }
    case 'expect':
      model.expectSegments()
      return
    case 'evict':
      model.index.evict(step.bytesMax)
      return
    case 'reopen':
      model.reopen()
      return
    case 'search':
      checkSearch(model, toSearch(pick(searches, step.at), step.text), step.bytesMax)
      return
    case 'count':
      checkCount(model, { ...pick(counts, step.at), text: step.text }, step.bytesMax)
  }
}

/** Makes the id unique for each record without making ids ascend. */
const toUniqueId = (id: Id, recordNo: number): Id => `${id.slice(0, -4)}${String(recordNo).padStart(4, '0')}`

/**
 * Record numbers that were not used before are new records, even if they are below the highest one. Numbers of deleted records
 * are not reused.
 */
function runWrite(model: DatasetModel, { records, textsFirst, addsTexts }: StepOf<typeof write>, isAscending: boolean): void {
  const written = records.flatMap(({ recordNo, content, id, texts, changesText }): RecordWrite[] => {
    const known = model.find(recordNo)
    if (known === undefined && model.isKnown(recordNo)) return []
    const given = TEXT_FIELDS.flatMap((field, i): [string, string[]][] => {
      const list = texts[i]
      return list == null ? [] : [[field, list]]
    })
    const hasText = known === undefined || changesText
    const document: SearchDocument = {
      ...content,
      id: known?.id ?? (isAscending ? ascendingId(recordNo) : toUniqueId(id, recordNo)),
      text: hasText ? new Map(given) : known.text,
    }
    return [{ recordNo, document, hasText }]
  })
  model.write(written, { textsFirst, addsTexts })
}

function toSearch(query: SearchQuery, text: SearchQuery['text']): SearchQuery {
  return { ...query, text, shuffleFor: text === null ? query.shuffleFor : null }
}

/** Loads the parts that a query needs, and checks that they stay loaded when memory is short. */
function prepare(model: DatasetModel, query: SearchQuery | CountQuery, bytesMax: number): void {
  model.load(query)
  model.index.evict(bytesMax)
  expect(model.index.missing(query)).toEqual({ columns: [], segments: [] })
}

function checkSearch(model: DatasetModel, query: SearchQuery, bytesMax: number): void {
  prepare(model, query, bytesMax)
  const documents = model.documents()
  const expected = searchNaively([...documents.values()], query)
  const { hits, total } = model.index.search(query)
  const ids = model.idsOf(hits.map(({ recordNo }) => recordNo))
  expect(total).toBe(expected.total)
  if (query.sort.length > 0) expect(ids).toEqual(expected.ids)
  else if (query.text !== null) checkRelevance(model, query)
  else expect(ids).toEqual(toExpectedOrder(documents, query).slice(query.offset, query.offset + query.limit))
  checkMatches(model, query)
}

function checkRelevance(model: DatasetModel, query: SearchQuery): void {
  const { index } = model
  const { text } = query
  if (text === null) return
  const whole = index.search({ ...query, offset: 0, limit: RECORD_NO_MAX }).hits
  expect(index.search(query).hits).toEqual(whole.slice(query.offset, query.offset + query.limit))
  expect(whole).toEqual(whole.toSorted((a, b) => Number(b.score) - Number(a.score) || a.recordNo - b.recordNo))
  const texts = model.textDocuments()
  const plain = { tree: text.tree, field: text.field === null ? null : TEXT_FIELDS.indexOf(text.field) }
  for (const { recordNo, score } of whole) {
    const document = texts.find(other => other.recordNo === recordNo)
    expect(document).toBeDefined()
    if (document) expect(score).toBeCloseTo(plainScore(texts, document, plain), 9)
  }
}

function checkMatches(model: DatasetModel, query: SearchQuery): void {
  const documents = model.documents()
  const found = new Set(searchNaively([...documents.values()], { ...query, offset: 0, limit: documents.size }).ids)
  const expected = [...documents].flatMap(([recordNo, { id }]) => (found.has(id) ? [recordNo] : []))
  const matches = model.index.matches(query)
  expect(model.index.recordNosOf(matches)).toEqual(expected)
  const all = Array.from({ length: RECORD_NO_MAX + 1 }, (_, recordNo) => recordNo)
  expect([...model.index.keepRecords(all, matches)]).toEqual(expected)
}

function checkCount(model: DatasetModel, query: CountQuery, bytesMax: number): void {
  prepare(model, query, bytesMax)
  expect(model.index.count(query)).toEqual(countNaively([...model.documents().values()], query))
}

test.each([
  { often: 'often', writes: 6, merges: 2, others: 4, queries: 12, runs: 300 },
  // Many merges then happen between two updates of the index.
  { often: 'rarely', writes: 12, merges: 3, others: 1, queries: 2, runs: 200 },
])('an index that follows random writes and is asked $often answers as the oracle does', ({ runs, ...weights }) => {
  const steps = fc.array(stepWith(weights), { minLength: 5, maxLength: 60, size: 'max' })
  const property = fc.property(steps, queries, (all, asked) => {
    const model = new DatasetModel()
    for (const step of all) run(model, step, asked)
  })
  fc.assert(property, { numRuns: runs })
})
