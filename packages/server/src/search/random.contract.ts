/**
 * Random searches between random writes through the use cases. Engines must return the same results as the naive search of the
 * domain package.
 */

import { RESPONSE_STATUSES } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import { type CountedTarget, type CountQuery, QUEUES, toQueueFilters } from '@postil/domain/search/counts'
import { valuesOf } from '@postil/domain/search/naive'
import { countNaively } from '@postil/domain/search/naive-counts'
import type { Existing, Filter, Range, Scope, SearchQuery, Sort } from '@postil/domain/search/query'
import { type ResolvedScope, resolveScope, type SearchDataset } from '@postil/domain/search/targets'
import { parseTextQuery } from '@postil/domain/search/text-query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deleteDataset } from '../features/datasets/delete.ts'
import { createRecordsBulk } from '../features/records/create-bulk.ts'
import type { TestContext } from '../testing/context.ts'
import { type Corpus, compare, readCorpus, runCounts } from './corpus.contract.ts'
import { aRecord, WORDS } from './source/testing/arbitrary.ts'
import { createFollowedDataset, LABELS } from './source/testing/dataset.ts'
import { aWrite, EXTERNAL_IDS, isRefused, toItems } from './source/testing/writes.ts'

/** A cluster shows what was written after a refresh, which takes a moment for each of the many writes. */
const CLUSTER_MS = 300_000

type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const label = fc.constantFrom(...LABELS)
const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 3, 7)
/** Index into a list whose length is only known when the search runs. */
const pick = fc.nat(1_000)
const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

const leafText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  fc.constantFrom('gr*', 'appl*', 'greem~1', 'aple~', '"green apple"', '"東 京"', '-fox', '-green', 'zzz', 'title', 'user'),
  fc
    .tuple(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 4 }))
    .map(([words, slop]) => `"${words.join(' ')}"~${slop} `),
)
const queryText: fc.Arbitrary<string> = fc.letrec<{ tree: string }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leafText,
    fc
      .tuple(tie('tree'), fc.constantFrom(' ', ' | ', ' + '), tie('tree'))
      .map(([left, operator, right]) => `${left}${operator}${right}`),
    tie('tree').map(tree => `-(${tree})`),
    tie('tree').map(tree => `(${tree})`),
  ),
})).tree

const range = <T extends string | number>(value: fc.Arbitrary<T>): fc.Arbitrary<Range<T>> =>
  fc.record({ from: maybe(value), to: maybe(value) })

/** Lists every target that a request can filter by, in resolved form. */
function listTargets(dataset: SearchDataset): ResolvedScope[] {
  const scopes: Scope[] = [
    ...(['id', 'external_id', 'status', 'inserted_at', 'updated_at'] as const).map(
      (property): Scope => ({ entity: 'record', property }),
    ),
    ...dataset.metadata_properties.map(({ name }): Scope => ({ entity: 'metadata', metadata_property: name })),
    ...dataset.questions.flatMap(({ name: question }): Scope[] => [
      { entity: 'response', question },
      ...(['value', 'score', 'agent', 'type'] as const).map((property): Scope => ({ entity: 'suggestion', question, property })),
    ]),
  ]
  const context = { dataset, hidesMetadata: false, now: '2026-11-15T12:00:00.000001' }
  return scopes.flatMap(scope => resolveScope(scope, context) ?? [])
}

/** Lists everything that an `exists` filter can test. */
function listExisting({ metadata_properties, questions }: SearchDataset): Existing[] {
  const questionIds = questions.map(question => question.id)
  return [
    { kind: 'flag' },
    ...metadata_properties.map(
      ({ id, searchAs }): Existing => ({ kind: 'metadata', propertyId: id, as: searchAs === 'keyword' ? 'keyword' : 'number' }),
    ),
    { kind: 'suggestion', questionIds },
    ...questionIds.map((questionId): Existing => ({ kind: 'suggestion', questionIds: [questionId] })),
    ...questionIds.map((questionId): Existing => ({ kind: 'response', questionId })),
  ]
}

const text = fc.oneof(
  { weight: 4, arbitrary: label },
  fc.constantFrom('pending', 'completed', 'web', 'model', 'human', '1', '2', '3', ...EXTERNAL_IDS),
)
const targetFilter = fc.record({
  kind: fc.constant('target' as const),
  target: pick,
  /** A record whose actual values are added to the filter. */
  record: maybe(pick),
  isRange: fc.boolean(),
  values: fc.array(text, { minLength: 1, maxLength: 3 }),
  texts: fc.array(range(text), { minLength: 1, maxLength: 2 }),
  numbers: fc.array(range(number), { minLength: 1, maxLength: 2 }),
})
const filterShape = fc.oneof(
  { weight: 6, arbitrary: targetFilter },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('exists' as const), of: pick, exists: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ statuses: fc.subarray([...RESPONSE_STATUSES]), pending: fc.boolean() })
      .map(({ statuses, pending }) => ({
        kind: 'response_status' as const,
        statuses,
        pending: pending || statuses.length === 0,
      })),
  },
)

function toFilter(corpus: Corpus, shape: Drawn<typeof filterShape>): Filter {
  if (shape.kind === 'response_status') return shape
  if (shape.kind === 'target') return toTargetFilter(corpus, shape)
  const of = at(listExisting(corpus.dataset), shape.of) ?? { kind: 'flag' }
  return { kind: 'exists', of, exists: shape.exists }
}

function toTargetFilter({ dataset, documents }: Corpus, shape: Drawn<typeof targetFilter>): Filter {
  const resolved = at(listTargets(dataset), shape.target)
  if (resolved === undefined) return { kind: 'nothing' }
  const { target, reading } = resolved
  const document = shape.record === null ? undefined : at(documents, shape.record)
  const known = document === undefined ? [] : valuesOf(document, target, null)
  if (target.as === 'number') {
    const equal = known.map(value => ({ from: Number(value), to: Number(value) }))
    return { kind: 'number_ranges', target, ranges: [...shape.numbers, ...equal] }
  }
  const texts = known.map(String)
  // Answers to a ranking have no order, so they cannot be filtered by range.
  if (!shape.isRange || reading === 'unordered') return { kind: 'values', target, values: [...shape.values, ...texts] }
  return { kind: 'text_ranges', target, ranges: [...shape.texts, ...texts.map(from => ({ from, to: from }))] }
}

const searchShape = fc.record({
  text: fc.option(queryText, { nil: null, freq: 2 }),
  field: fc.option(fc.constantFrom('body', 'talk', 'page', 'picture'), { nil: null, freq: 2 }),
  filters: fc.array(filterShape, { maxLength: 3 }),
  sort: fc.array(fc.tuple(pick, fc.constantFrom('asc' as const, 'desc' as const)), { maxLength: 3 }),
  user: fc.option(pick, { nil: null, freq: 2 }),
  offset: fc.integer({ min: 0, max: 4 }),
  limit: fc.integer({ min: 1, max: 6 }),
})

function toSearch(corpus: Corpus, shape: Drawn<typeof searchShape>): SearchQuery {
  const tree = shape.text === null ? null : parseTextQuery(shape.text)
  const sortable: Sort['target'][] = [
    { kind: 'response_status', as: 'keyword' },
    ...listTargets(corpus.dataset).flatMap(({ target, reading }) => (reading === 'unordered' ? [] : [target])),
  ]
  const sort = shape.sort.flatMap(([index, order]): Sort[] => {
    const target = at(sortable, index)
    return target === undefined ? [] : [{ target, order }]
  })
  const userId = shape.user === null ? null : (at(corpus.users, shape.user) ?? null)
  const isShuffled = tree === null && sort.length === 0
  return {
    text: tree === null || tree.kind === 'all' ? null : { tree, field: shape.field },
    similar: null,
    filters: shape.filters.map(filter => toFilter(corpus, filter)),
    sort,
    userId,
    shuffleFor: isShuffled ? userId : null,
    offset: shape.offset,
    limit: shape.limit,
  }
}

async function checkSearch(corpus: Corpus, query: SearchQuery): Promise<void> {
  const { found, expected } = await compare(corpus, query)
  expect(found.total).toBe(expected.total)
  if (query.sort.length > 0) {
    expect(found.ids).toEqual(expected.ids)
  } else {
    const whole = { ...query, offset: 0, limit: 1000 }
    const { found: all, expected: allExpected } = await compare(corpus, whole)
    expect(all.ids.toSorted()).toEqual(allExpected.ids.toSorted())
    expect(found.ids).toEqual(all.ids.slice(query.offset, query.offset + query.limit))
    const scores = all.scores.map(Number)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  }
}

const countedShape = fc.record({ target: pick, isNarrowed: fc.boolean(), valuesMax: fc.constantFrom(1, 3, 1000) })

/** Counts for the text and filters of a search. Each target is counted under all filters or under the first one only. */
function toCounts(corpus: Corpus, search: SearchQuery, counted: readonly Drawn<typeof countedShape>[]): CountQuery {
  const { text, filters } = search
  const queue = ([null, ...QUEUES] as const)[filters.length] ?? null
  const countable = listCountable(corpus)
  const targets = counted.flatMap(({ target: index, isNarrowed, valuesMax }): CountedTarget[] => {
    const resolved = at(countable, index)
    if (resolved === undefined) return []
    const narrowed = isNarrowed ? [...filters, ...toQueueFilters(queue)] : filters.slice(0, 1)
    return [{ target: resolved.target, as: toCountedAs(resolved), filters: narrowed, valuesMax }]
  })
  // If no queues are requested, an engine can skip reading responses.
  const queues = targets.length % 2 === 0 ? QUEUES : []
  return { text, filters, userId: search.userId ?? corpus.users[0] ?? '', queue, queues, targets }
}

/** Counts every value of every target for one user. */
function toAllCounts(corpus: Corpus, userId: Id): CountQuery {
  const targets = listCountable(corpus).map(
    (resolved): CountedTarget => ({ target: resolved.target, as: toCountedAs(resolved), filters: [] }),
  )
  return { text: null, filters: [], userId, queue: null, queues: QUEUES, targets }
}

const listCountable = ({ dataset }: Corpus) => listTargets(dataset).filter(({ target }) => target.kind !== 'record')

function toCountedAs({ target, reading }: ResolvedScope): CountedTarget['as'] {
  if (target.kind === 'suggestion' && target.property === 'score') return 'score'
  return target.kind === 'metadata' && (reading === 'integer' || reading === 'float') ? reading : 'values'
}

async function checkCounts(corpus: Corpus, query: CountQuery): Promise<void> {
  expect(await runCounts(corpus, query)).toEqual(countNaively(corpus.documents, query))
}

const round = fc.record({
  writes: fc.array(aWrite, { minLength: 1, maxLength: 8, size: 'max' }),
  searches: fc.array(searchShape, { minLength: 2, maxLength: 6, size: 'max' }),
  counted: fc.array(countedShape, { maxLength: 4 }),
  /** Counting everything loads every column. Otherwise, an engine may load some columns late or never. */
  countsAll: fc.boolean(),
})

export function randomSearches(context: () => TestContext): void {
  const property = fc.asyncProperty(
    fc.array(aRecord, { minLength: 1, maxLength: 20, size: 'max' }),
    fc.array(round, { minLength: 1, maxLength: 4, size: 'max' }),
    async (records, rounds) => {
      const followed = await createFollowedDataset(context())
      const { owner, datasetId } = followed
      // The first records get the external ids that upserts refer to.
      const items = toItems(records, followed).map((item, i) => ({ ...item, external_id: EXTERNAL_IDS[i] ?? null }))
      await createRecordsBulk(owner, datasetId, items)
      for (const { writes, searches, counted, countsAll } of rounds) {
        for (const apply of writes) {
          await apply(followed).catch(error => {
            if (!isRefused(error)) throw error
          })
        }
        const corpus = await readCorpus(followed)
        if (countsAll) for (const userId of corpus.users) await checkCounts(corpus, toAllCounts(corpus, userId))
        for (const shape of searches) {
          const search = toSearch(corpus, shape)
          await checkSearch(corpus, search)
          await checkCounts(corpus, toCounts(corpus, search, counted))
        }
      }
      await deleteDataset(owner, datasetId)
    },
  )
  test(
    'random searches between random writes find and count what the plain search does',
    () => fc.assert(property, { numRuns: 40 }),
    CLUSTER_MS,
  )
}
