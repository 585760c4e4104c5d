/** Random texts, queries, changes and merges. Segments must find and score the same as the naive computation. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestDataset } from './dataset.contract.ts'
import { type PlainQuery, plainlyMatches, plainScore } from './plain.contract.ts'
import { textDocument, textQuery } from './testing/random-texts.ts'

const change = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    documents: fc.uniqueArray(textDocument, { maxLength: 6, selector: ({ recordNo }) => recordNo }),
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
    fc.array(textQuery, { minLength: 6, maxLength: 6 }),
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
    fc.array(textQuery, { minLength: 6, maxLength: 6 }),
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
