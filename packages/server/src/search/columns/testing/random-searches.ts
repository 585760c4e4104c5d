/** Random documents, searches and counts for a dataset with two metadata properties, three questions and three users. */
import type { Id } from '@postil/domain/schema'
import { type CountQuery, QUEUES, toQueueFilters } from '@postil/domain/search/counts'
import type { SearchDocument, SearchSuggestion, SearchValue } from '@postil/domain/search/document'
import type { Existing, Filter, Range, SearchQuery, Sort, Target } from '@postil/domain/search/query'
import fc from 'fast-check'

const uuid = (n: number): Id => `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
/** Ids that ascend with the ordinals of the records. */
export function ascendingId(ordinal: number): Id {
  return `018f0000-${ordinal.toString(16).padStart(4, '0')}-7000-8000-000000000000`
}

const SOURCE = uuid(1)
const LENGTH = uuid(2)
const TOPIC = { questionId: uuid(3), questionName: 'topic' }
const STARS = { questionId: uuid(4), questionName: 'stars' }
const NOTE = uuid(5)
const USERS = [uuid(6), uuid(7), uuid(8)] as const

const STATUSES = ['draft', 'submitted', 'discarded'] as const
const LABELS = ['a', 'B', '10', '2', 'é', '😀', '\uFFFD', 'constructor', '__proto__', '', 'x'.repeat(3_000), 'pending']
const NUMBERS = [-1, 0, -0, 0.05, 0.5, 3, 7, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1e300]
const TIMES = [
  '1685-01-01T00:00:00.000000',
  '1969-12-31T23:59:59.999999',
  '1970-01-01T00:00:00.000000',
  '2026-11-15T12:00:00.000001',
  '2026-11-15T12:00:00.000002',
  '2254-12-31T23:59:59.999999',
]
/** Bounds among the times of the records and after them. Some are not valid times. */
const TIME_BOUNDS = [
  ...TIMES,
  '0000-01-01T00:00:00.000000',
  '0099-12-31T23:59:59.999999',
  '',
  '2026',
  '2026-02-30T00:00:00.000000',
  '2026-11-15T12:00:00.0000015',
  '9999-12-31T23:59:59.999999',
]
/** The ids of the first records, if ids ascend, and texts that are not valid ids. */
const ID_BOUNDS = [uuid(0), ascendingId(1), uuid(0).toUpperCase(), `${uuid(0)}0`, '', '0', '018f', '8-', 'f'.repeat(40), '😀']

const label = fc.constantFrom(...LABELS)
const number = fc.constantFrom(...NUMBERS)
const rating = fc.integer({ min: 0, max: 10 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const range = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Range<T>> => fc.record({ from: maybe(value), to: maybe(value) })
const some = <T>(value: fc.Arbitrary<T>, max: number) => fc.array(value, { maxLength: max })
const entry = <T>(key: Id, value: T | null): [Id, T][] => (value === null ? [] : [[key, value]])

const suggestion: fc.Arbitrary<SearchSuggestion> = fc.record({
  values: some<SearchValue>(label, 3),
  scores: some(fc.oneof(number, fc.double({ min: 0, max: 1, noNaN: true })), 3),
  agent: maybe(label),
  type: maybe(label),
})
const rated: fc.Arbitrary<SearchSuggestion> = rating.map(stars => ({ values: [stars], scores: [], agent: null, type: null }))

const response = fc
  .record({
    user: fc.nat({ max: 2 }),
    status: fc.constantFrom(...STATUSES),
    topic: some(label, 2),
    stars: some(rating, 2),
    noted: fc.boolean(),
  })
  .map(({ user, status, topic, stars, noted }) => ({
    user_id: USERS[user] as Id,
    status,
    values: new Map<Id, SearchValue[]>([
      [TOPIC.questionId, topic],
      [STARS.questionId, stars],
      ...entry(NOTE, noted ? ['given'] : null),
    ]),
  }))

/** A record without its id. */
export const content: fc.Arbitrary<Omit<SearchDocument, 'id'>> = fc
  .record({
    external_id: maybe(label),
    status: fc.constantFrom('pending', 'completed'),
    inserted_at: fc.constantFrom(...TIMES),
    updated_at: fc.constantFrom(...TIMES),
    source: some(label, 3),
    length: maybe(number),
    topic: maybe(suggestion),
    stars: maybe(rated),
    responses: fc.uniqueArray(response, { maxLength: 3, selector: ({ user_id }) => user_id }),
    flags: fc.subarray([...USERS]),
  })
  .map(({ source, length, topic, stars, ...record }) => ({
    ...record,
    text: new Map(),
    metadata: new Map<Id, SearchValue[]>([[SOURCE, source], ...entry(LENGTH, length === null ? null : [length])]),
    suggestions: new Map([...entry(TOPIC.questionId, topic), ...entry(STARS.questionId, stars)]),
    vectors: new Map(),
  }))

const TARGETS: Target[] = [
  { kind: 'record', property: 'id', as: 'keyword' },
  { kind: 'record', property: 'external_id', as: 'keyword' },
  { kind: 'record', property: 'status', as: 'keyword' },
  { kind: 'record', property: 'inserted_at', as: 'keyword' },
  { kind: 'record', property: 'updated_at', as: 'keyword' },
  { kind: 'metadata', propertyId: SOURCE, as: 'keyword' },
  { kind: 'metadata', propertyId: LENGTH, as: 'number' },
  { kind: 'suggestion', ...TOPIC, property: 'value', as: 'keyword' },
  { kind: 'suggestion', ...TOPIC, property: 'score', as: 'number' },
  { kind: 'suggestion', ...TOPIC, property: 'agent', as: 'keyword' },
  { kind: 'suggestion', ...TOPIC, property: 'type', as: 'keyword' },
  { kind: 'suggestion', ...STARS, property: 'value', as: 'number' },
  { kind: 'response', ...TOPIC, as: 'keyword' },
  { kind: 'response', ...STARS, as: 'number' },
]
const EXISTING: Existing[] = [
  { kind: 'flag' },
  { kind: 'metadata', propertyId: SOURCE, as: 'keyword' },
  { kind: 'metadata', propertyId: LENGTH, as: 'number' },
  { kind: 'suggestion', questionIds: [TOPIC.questionId, STARS.questionId, NOTE] },
  { kind: 'suggestion', questionIds: [] },
  { kind: 'suggestion', questionIds: [STARS.questionId] },
  ...[TOPIC.questionId, STARS.questionId, NOTE].map((questionId): Existing => ({ kind: 'response', questionId })),
]

function valueFilter(target: Target): fc.Arbitrary<Filter> {
  if (target.as === 'number') {
    const ranges = fc.array(range(fc.oneof(number, rating)), { minLength: 1, maxLength: 4 })
    return ranges.map(ranges => ({ kind: 'number_ranges', target, ranges }))
  }
  const bounds = target.kind !== 'record' ? LABELS : target.property === 'id' ? ID_BOUNDS : [...LABELS, ...TIME_BOUNDS]
  const texts = fc.constantFrom(...bounds)
  return fc.oneof(
    fc.array(texts, { minLength: 1, maxLength: 3 }).map((values): Filter => ({ kind: 'values', target, values })),
    fc.array(range(texts), { minLength: 1, maxLength: 3 }).map((ranges): Filter => ({ kind: 'text_ranges', target, ranges })),
  )
}

const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TARGETS).chain(valueFilter) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('response_status' as const),
      statuses: fc.subarray([...STATUSES]),
      pending: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('exists' as const), of: fc.constantFrom(...EXISTING), exists: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant<Filter>({ kind: 'nothing' }) },
)
const sort: fc.Arbitrary<Sort> = fc.record({
  target: fc.constantFrom<Sort['target']>(...TARGETS, { kind: 'response_status', as: 'keyword' }),
  order: fc.constantFrom('asc', 'desc'),
})
const user = fc.constantFrom<Id>(...USERS, uuid(9))

/** Searches without text or similarity. */
export const search: fc.Arbitrary<SearchQuery> = fc
  .record({
    filters: some(filter, 3),
    sort: some(sort, 3),
    userId: maybe(user),
    isShuffled: fc.boolean(),
    offset: fc.nat({ max: 5 }),
    limit: fc.integer({ min: 1, max: 8 }),
  })
  .map(({ isShuffled, ...query }) => ({
    ...query,
    text: null,
    similar: null,
    shuffleFor: isShuffled && query.sort.length === 0 ? query.userId : null,
  }))

const counted = fc
  .tuple(
    fc.constantFrom(...TARGETS.slice(5)),
    fc.constantFrom('integer' as const, 'float' as const),
    fc.nat({ max: 3 }),
    fc.constantFrom(1, 3, 1000),
  )
  .map(([target, numbers, filters, valuesMax]) => {
    const isScore = target.kind === 'suggestion' && target.property === 'score'
    const as = isScore ? ('score' as const) : target.kind === 'metadata' && target.as === 'number' ? numbers : ('values' as const)
    return { target, as, filters, valuesMax }
  })

/** Counts, with each target under the first few filters and the queue. */
export const count: fc.Arbitrary<CountQuery> = fc
  .record({
    filters: some(filter, 3),
    userId: user,
    queue: maybe(fc.constantFrom(...QUEUES)),
    queues: fc.subarray([...QUEUES]),
    targets: some(counted, 4),
  })
  .map(query => ({
    ...query,
    text: null,
    targets: query.targets.map(target => ({
      ...target,
      filters: [...query.filters.slice(0, target.filters), ...toQueueFilters(query.queue)],
    })),
  }))
