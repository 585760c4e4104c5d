/** Random texts, queries, changes and merges: segments find and score what the plain computation does. */
import { parseTextQuery, type TextQuery } from '@postil/domain/search/text-query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestDataset } from './dataset.contract.ts'
import { type PlainQuery, plainlyMatches, plainScore } from './plain.contract.ts'

const FIELDS = 2
// Tokens as they are in the index: short, so that they meet, share prefixes and are near each other; some outside the first plane.
const token = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }) },
  fc.constantFrom('東', '京', '😀', '𐐨', '𐐨𐐩', 'a𐐩', "a'b", 'a.b', 'é'.normalize('NFC')),
)
const text = fc
  .array(fc.oneof(token, fc.constantFrom('Ab', 'a-b', '東京', '...', 'Éa')), { maxLength: 8 })
  .map(words => words.join(' '))
const pieces = fc.option(fc.array(text, { maxLength: 3 }), { nil: null })
const document = fc.record({
  recordNo: fc.integer({ min: 1, max: 12 }),
  pieces: fc.array(pieces, { minLength: FIELDS, maxLength: FIELDS }),
})

const queryToken = token.map(word => word.replace('é', 'e'))
const tokens = (maxLength: number) => fc.array(queryToken, { minLength: 1, maxLength })
const tree = fc.letrec<{ tree: TextQuery }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('word' as const), runs: fc.array(tokens(2), { minLength: 1, maxLength: 2 }) }),
    fc.record({ kind: fc.constant('phrase' as const), tokens: tokens(4), slop: fc.constantFrom(0, 1, 2, 3, 8, 1_000_000) }),
    fc.record({ kind: fc.constant('prefix' as const), start: fc.oneof(queryToken, fc.constantFrom('', 'zz')) }),
    fc.record({ kind: fc.constant('fuzzy' as const), token: queryToken, distance: fc.constantFrom(1 as const, 2 as const) }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), part: tie('tree') }),
    fc.constantFrom<TextQuery>({ kind: 'all' }, { kind: 'none' }),
  ),
})).tree
const typed = fc
  .array(fc.oneof(text, fc.constantFrom('-', '|', '"', '*', '~1', '(', ')')), { maxLength: 6 })
  .map(parts => parseTextQuery(parts.join('')))
const query: fc.Arbitrary<PlainQuery> = fc.record({
  tree: fc.oneof({ weight: 4, arbitrary: tree }, typed),
  field: fc.constantFrom(null, 0, 1, 7, -1),
})

const change = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    documents: fc.uniqueArray(document, { maxLength: 6, selector: ({ recordNo }) => recordNo }),
  }),
  fc.record({ kind: fc.constant('remove' as const), recordNo: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant('merge' as const), from: fc.nat({ max: 4 }), size: fc.integer({ min: 1, max: 4 }) }),
)

function apply(dataset: TestDataset, step: typeof change extends fc.Arbitrary<infer T> ? T : never): void {
  if (step.kind === 'put') dataset.put(step.documents)
  else if (step.kind === 'remove') dataset.remove(step.recordNo)
  else if (step.from < dataset.segmentCount()) dataset.merge(step.from, step.from + step.size)
}

function checkQuery(dataset: TestDataset, asked: PlainQuery): void {
  const found = dataset.search(asked)
  const documents = [...dataset.documents.values()]
  const expected = documents.filter(one => plainlyMatches(one, asked))
  expect([...found.keys()]).toEqual(expected.map(({ recordNo }) => recordNo).toSorted((a, b) => a - b))
  for (const one of expected) expect(found.get(one.recordNo)).toBeCloseTo(plainScore(documents, one, asked), 9)
}

test('random queries find and score what the plain computation does, whatever was changed and merged before', () => {
  const property = fc.property(
    fc.array(change, { minLength: 1, maxLength: 12 }),
    fc.array(query, { minLength: 6, maxLength: 6 }),
    (changes, queries) => {
      const dataset = new TestDataset()
      for (const step of changes) apply(dataset, step)
      for (const asked of queries) checkQuery(dataset, asked)
    },
  )
  fc.assert(property, { numRuns: 600 })
})

test('a merge changes neither matches nor scores', () => {
  const property = fc.property(
    fc.array(change, { minLength: 2, maxLength: 12 }),
    fc.array(query, { minLength: 6, maxLength: 6 }),
    (changes, queries) => {
      const dataset = new TestDataset()
      for (const step of changes) apply(dataset, step)
      const before = queries.map(asked => dataset.search(asked))
      dataset.merge(0, dataset.segmentCount())
      expect(queries.map(asked => dataset.search(asked))).toEqual(before)
      expect(dataset.index().segments.map(({ segment }) => segment.documents)).toEqual([dataset.documents.size])
    },
  )
  fc.assert(property, { numRuns: 300 })
})
