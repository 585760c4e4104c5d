/** Searches that nobody thought of, over documents that nobody wrote: engines must find what domain's plain search finds. */

import type { Id } from '@postil/domain/schema'
import { type CountQuery, QUEUES, toQueueFilters } from '@postil/domain/search/counts'
import type { SearchDocument, SearchSuggestion, SearchValue } from '@postil/domain/search/document'
import { countNaively } from '@postil/domain/search/naive-counts'
import type { Existing, Filter, Range, SearchQuery, Sort, Target } from '@postil/domain/search/query'
import { parseTextQuery } from '@postil/domain/search/text-query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TestContext } from '../testing/context.ts'
import {
  addDocuments,
  blankDocument,
  type Corpus,
  compare,
  given,
  openCorpus,
  propertyId,
  questionId,
  toSearched,
} from './corpus.contract.ts'

// Few words, so that queries meet documents, and fewer than a fuzzy word expands to.
const WORDS = ['green', 'greet', 'apple', 'Äpple', 'fox', 'co-op', '東京', '京', 'x_y', "don't"]
const LABELS = ['a', 'B', '10', '2', 'é', '😀', '\uFFFD']
const STATUSES = ['draft', 'submitted', 'discarded'] as const

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map(words => words.join(' '))
const pieces = maybe(fc.array(text, { minLength: 1, maxLength: 3 }))
const label = fc.constantFrom(...LABELS)
const number = fc.constantFrom(-1, 0, 0.5, 3, 7)
const rating = fc.integer({ min: 0, max: 10 })

const documentShape = fc.record({
  prompt: pieces,
  reply: pieces,
  external: fc.boolean(),
  completed: fc.boolean(),
  source: fc.uniqueArray(label, { maxLength: 3 }),
  length: maybe(number),
  topic: maybe(
    fc.record({
      values: fc.uniqueArray(label, { maxLength: 3 }),
      scores: fc.array(number, { maxLength: 3 }),
      agent: maybe(label),
      type: maybe(label),
    }),
  ),
  stars: maybe(rating),
  noted: fc.boolean(),
  responses: fc.array(
    maybe(
      fc.record({
        status: fc.constantFrom(...STATUSES),
        topic: fc.uniqueArray(label, { maxLength: 2 }),
        stars: maybe(rating),
        noted: fc.boolean(),
      }),
    ),
    { maxLength: 2 },
  ),
  flags: fc.uniqueArray(fc.integer({ min: 0, max: 1 })),
})
type DocumentShape = typeof documentShape extends fc.Arbitrary<infer T> ? T : never

function toDocument(ctx: TestContext, corpus: Corpus, shape: DocumentShape, i: number): SearchDocument {
  const [topic, stars, note] = [questionId(corpus, 'topic'), questionId(corpus, 'stars'), questionId(corpus, 'note')]
  const suggestions = new Map<Id, SearchSuggestion>()
  if (shape.topic !== null) suggestions.set(topic, shape.topic)
  if (shape.stars !== null) suggestions.set(stars, { values: [shape.stars], scores: [], agent: null, type: null })
  if (shape.noted) suggestions.set(note, { values: [], scores: [], agent: null, type: null })
  return {
    ...blankDocument(ctx),
    external_id: shape.external ? `${LABELS[i % LABELS.length]}${i}` : null,
    status: shape.completed ? 'completed' : 'pending',
    text: new Map([...given('prompt', shape.prompt), ...given('reply', shape.reply)]),
    metadata: new Map<Id, SearchValue[]>([
      ...given(propertyId(corpus, 'source'), shape.source),
      ...given(propertyId(corpus, 'length'), shape.length),
    ]),
    suggestions,
    responses: shape.responses.flatMap((response, user) => {
      if (response === null) return []
      const noted = response.noted ? 'given' : null
      const values = new Map<Id, SearchValue[]>([
        ...given(topic, response.topic),
        ...given(stars, response.stars),
        ...given(note, noted),
      ])
      return [{ user_id: corpus.users[user] ?? '', status: response.status, values }]
    }),
    flags: shape.flags.map(user => corpus.users[user] ?? ''),
  }
}

const leafText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  fc.constantFrom('gr*', 'appl*', 'greem~1', 'aple~', '"green apple"', '"東 京"', '-fox', '-green', 'zzz'),
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

/** What can be filtered and sorted by. The ids are known once the corpus is. */
const targets = (corpus: Corpus): Target[] => {
  const topic = { questionId: questionId(corpus, 'topic'), questionName: 'topic' }
  const stars = { questionId: questionId(corpus, 'stars'), questionName: 'stars' }
  return [
    { kind: 'record', property: 'id', as: 'keyword' },
    { kind: 'record', property: 'external_id', as: 'keyword' },
    { kind: 'record', property: 'status', as: 'keyword' },
    { kind: 'record', property: 'inserted_at', as: 'keyword' },
    { kind: 'record', property: 'updated_at', as: 'keyword' },
    { kind: 'metadata', propertyId: propertyId(corpus, 'source'), as: 'keyword' },
    { kind: 'metadata', propertyId: propertyId(corpus, 'length'), as: 'number' },
    { kind: 'suggestion', ...topic, property: 'value', as: 'keyword' },
    { kind: 'suggestion', ...topic, property: 'score', as: 'number' },
    { kind: 'suggestion', ...topic, property: 'agent', as: 'keyword' },
    { kind: 'suggestion', ...topic, property: 'type', as: 'keyword' },
    { kind: 'suggestion', ...stars, property: 'value', as: 'number' },
    { kind: 'response', ...topic, as: 'keyword' },
    { kind: 'response', ...stars, as: 'number' },
  ]
}

/** What a record may have or lack. */
const existing = (corpus: Corpus): Existing[] => {
  const questionIds = corpus.dataset.questions.map(question => question.id)
  return [
    { kind: 'flag' },
    { kind: 'metadata', propertyId: propertyId(corpus, 'source'), as: 'keyword' },
    { kind: 'metadata', propertyId: propertyId(corpus, 'length'), as: 'number' },
    { kind: 'suggestion', questionIds },
    ...questionIds.map(questionId => ({ kind: 'suggestion' as const, questionIds: [questionId] })),
    ...questionIds.map(questionId => ({ kind: 'response' as const, questionId })),
  ]
}

const TARGETS = 14
const EXISTING = 10
const filterShape = fc.record({
  target: fc.integer({ min: -1, max: TARGETS - 1 }),
  values: maybe(fc.array(fc.oneof(label, fc.constantFrom('pending', 'completed', 'a0', 'B1')), { minLength: 1, maxLength: 3 })),
  texts: fc.array(range(label), { minLength: 1, maxLength: 2 }),
  numbers: fc.array(range(fc.oneof(number, rating)), { minLength: 1, maxLength: 2 }),
  statuses: fc.uniqueArray(fc.constantFrom(...STATUSES)),
  existing: maybe(fc.tuple(fc.integer({ min: 0, max: EXISTING - 1 }), fc.boolean())),
})

function toFilter(corpus: Corpus, shape: typeof filterShape extends fc.Arbitrary<infer T> ? T : never): Filter {
  const of = existing(corpus)[shape.existing?.[0] ?? -1]
  if (of !== undefined) return { kind: 'exists', of, exists: shape.existing?.[1] ?? true }
  const target = targets(corpus)[shape.target]
  if (target === undefined)
    return { kind: 'response_status', statuses: shape.statuses, pending: shape.values !== null || shape.statuses.length === 0 }
  if (target.as === 'number') return { kind: 'number_ranges', target, ranges: shape.numbers }
  return shape.values === null
    ? { kind: 'text_ranges', target, ranges: shape.texts }
    : { kind: 'values', target, values: shape.values }
}

const searchShape = fc.record({
  text: maybe(queryText),
  field: maybe(fc.constantFrom('prompt', 'reply')),
  filters: fc.array(filterShape, { maxLength: 3 }),
  sort: fc.array(fc.tuple(fc.integer({ min: -1, max: TARGETS - 1 }), fc.constantFrom('asc' as const, 'desc' as const)), {
    maxLength: 3,
  }),
  user: fc.boolean(),
  offset: fc.integer({ min: 0, max: 4 }),
  limit: fc.integer({ min: 1, max: 6 }),
})

function toSearch(corpus: Corpus, shape: typeof searchShape extends fc.Arbitrary<infer T> ? T : never): SearchQuery {
  const tree = shape.text === null ? null : parseTextQuery(shape.text)
  const sort = shape.sort.map(
    ([at, order]): Sort => ({ target: targets(corpus)[at] ?? { kind: 'response_status', as: 'keyword' }, order }),
  )
  const userId = shape.user ? corpus.users[0] : null
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

async function checkSearch(ctx: TestContext, corpus: Corpus, query: SearchQuery): Promise<void> {
  const { found, expected } = await compare(ctx, corpus, query)
  expect(found.total).toBe(expected.total)
  if (query.sort.length > 0) {
    expect(found.ids).toEqual(expected.ids)
  } else {
    const whole = { ...query, offset: 0, limit: 1000 }
    const { found: all, expected: allExpected } = await compare(ctx, corpus, whole)
    expect(all.ids.toSorted()).toEqual(allExpected.ids.toSorted())
    expect(found.ids).toEqual(all.ids.slice(query.offset, query.offset + query.limit))
    const scores = all.scores.map(Number)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  }
}

const countedShape = fc.record({
  target: fc.integer({ min: 5, max: TARGETS - 1 }),
  isNarrowed: fc.boolean(),
  valuesMax: fc.constantFrom(1, 3, 1000),
})

/** The search's text and filters, counted by some targets, each under all filters or under the first alone. */
function toCounts(
  corpus: Corpus,
  search: SearchQuery,
  counted: (typeof countedShape extends fc.Arbitrary<infer T> ? T : never)[],
): CountQuery {
  const { text, filters } = search
  const queue = ([null, ...QUEUES] as const)[filters.length] ?? null
  const countedTargets = counted.flatMap(({ target: at, isNarrowed, valuesMax }): CountQuery['targets'] => {
    const target = targets(corpus)[at]
    if (target === undefined) return []
    const isScore = target.kind === 'suggestion' && target.property === 'score'
    const as = target.kind === 'metadata' && target.as === 'number' ? 'float' : isScore ? 'score' : 'values'
    return [{ target, as, filters: isNarrowed ? [...filters, ...toQueueFilters(queue)] : filters.slice(0, 1), valuesMax }]
  })
  return { text, filters, userId: corpus.users[0], queue, targets: countedTargets }
}

async function checkCounts(ctx: TestContext, corpus: Corpus, query: CountQuery): Promise<void> {
  const counts = await ctx.search.count(ctx.db, toSearched(corpus), query)
  expect(counts).toEqual(countNaively(corpus.documents, query))
}

export function randomSearches(context: () => TestContext): void {
  const property = fc.asyncProperty(
    fc.array(documentShape, { maxLength: 30 }),
    fc.array(searchShape, { minLength: 12, maxLength: 12 }),
    fc.array(countedShape, { maxLength: 4 }),
    async (documents, searches, counted) => {
      const ctx = context()
      const corpus = await openCorpus(ctx)
      const written = documents.map((shape, i) => toDocument(ctx, corpus, shape, i))
      await addDocuments(ctx, corpus, written)
      for (const shape of searches) {
        const search = toSearch(corpus, shape)
        await checkSearch(ctx, corpus, search)
        await checkCounts(ctx, corpus, toCounts(corpus, search, counted))
      }
      await ctx.search.drop(ctx.db, corpus.id)
    },
  )
  const check = () => fc.assert(property, { numRuns: 60 })
  test('random searches over random documents find and count what the plain search does', check, 120_000)
}
