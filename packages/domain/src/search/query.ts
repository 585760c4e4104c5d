/**
 * A search: the request schemas, and `SearchQuery` for engines.
 *
 * `resolve.ts` converts between them with the dataset's settings, so that engines get validated queries with ids instead of names
 * and ranges instead of date arithmetic.
 */
import { RESPONSE_STATUSES, type ResponseStatus } from '../responses.ts'
import {
  AnyOf,
  Bool,
  Float,
  Id,
  Int,
  List,
  Nullable,
  NumberAsText,
  OneOf,
  Optional,
  Shape,
  type Static,
  Tagged,
  Text,
  Type,
  Words,
} from '../schema.ts'
import type { TextQuery } from './text-query.ts'

/** Maximum of offset plus limit. */
export const RESULT_WINDOW_MAX = 500_000
export const PAGE_LIMIT_MAX = 1000

// Older clients call the id `_server_id`.
export const Scope = Tagged('entity', {
  record: Shape({
    entity: Words(['record']),
    property: Words(['id', 'external_id', 'inserted_at', 'updated_at', 'status', '_server_id']),
  }),
  metadata: Shape({ entity: Words(['metadata']), metadata_property: Text(1, 200) }),
  suggestion: Shape({
    entity: Words(['suggestion']),
    question: Text(1, 200),
    property: Optional(Nullable(Words(['value', 'score', 'agent', 'type']))),
  }),
  response: Shape({
    entity: Words(['response']),
    question: Optional(Nullable(Text(1, 200))),
    property: Optional(Nullable(Words(['status']))),
  }),
})
export type Scope = Static<typeof Scope>

export const TermsFilter = Shape({
  type: Words(['terms']),
  scope: Scope,
  values: List(NumberAsText, { minItems: 1, maxItems: 250 }),
})
export type TermsFilter = Static<typeof TermsFilter>

// Text comes first, so that a bound sent as text stays text even if it looks like a number. True counts as 1.
const Bound = Optional(Nullable(AnyOf({ str: Type.String(), float: Float(), bool: Bool() })))
type Bound = string | number | boolean | null

export const RangeFilter = Shape({ type: Words(['range']), scope: Scope, ge: Bound, le: Bound }, { 'x-check': checkRangeBounds })
export type RangeFilter = Static<typeof RangeFilter>

export function checkRangeBounds({ ge, le }: { ge?: Bound; le?: Bound }): string | null {
  if (ge == null && le == null) return 'at least one of `ge` and `le` is needed'
  if (ge == null || le == null) return null
  if ((typeof ge === 'string') !== (typeof le === 'string')) return '`ge` and `le` must both be numbers or both be texts'
  return ge <= le ? null : '`ge` must not be above `le`'
}

/** Scope of an existence filter. Responses and suggestions may refer to one question or to any. */
export const ExistsScope = Tagged('entity', {
  record: Shape({ entity: Words(['record']), property: Words(['flag']) }),
  metadata: Shape({ entity: Words(['metadata']), metadata_property: Text(1, 200) }),
  suggestion: Shape({ entity: Words(['suggestion']), question: Optional(Nullable(Text(1, 200))) }),
  response: Shape({ entity: Words(['response']), question: Optional(Nullable(Text(1, 200))) }),
})
export type ExistsScope = Static<typeof ExistsScope>

export const ExistsFilter = Shape({ type: Words(['exists']), scope: ExistsScope, exists: Bool() })
export type ExistsFilter = Static<typeof ExistsFilter>

export const Filters = Shape({
  and: Optional(
    List(Tagged('type', { terms: TermsFilter, range: RangeFilter, exists: ExistsFilter }), { minItems: 1, maxItems: 50 }),
  ),
})

const SortEntry = Shape({ scope: Scope, order: OneOf(['asc', 'desc']) })

export const TextPart = Shape({ q: NumberAsText, field: Optional(Nullable(Text())) })

const VectorPart = Shape(
  {
    name: Text(),
    record_id: Optional(Nullable(Id)),
    value: Optional(Nullable(List(Float()))),
    order: Optional(OneOf(['most_similar', 'least_similar'], { default: 'most_similar' })),
  },
  { 'x-check': checkVectorPart },
)

export function checkVectorPart({ record_id, value }: { record_id?: Id | null; value?: number[] | null }): string | null {
  const hasValue = value != null && value.length > 0
  return hasValue === (record_id != null) ? 'exactly one of `record_id` and a non-empty `value` is needed' : null
}

export const SearchBody = Shape(
  {
    query: Optional(Nullable(Shape({ text: Optional(Nullable(TextPart)), vector: Optional(Nullable(VectorPart)) }))),
    filters: Optional(Nullable(Filters)),
    sort: Optional(Nullable(List(SortEntry, { minItems: 1, maxItems: 10 }))),
  },
  { 'x-alias': { filter: 'filters' }, 'x-null-is-absent': ['filters'] },
)
export type SearchBody = Static<typeof SearchBody>

const PageLimit = Optional(Int({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: 50 }))

/** `parseInclude` checks `include`, because its errors are plain texts. */
export const RecordIncludes = Optional(List(Text()))
const IncludeParameter = { include: RecordIncludes }

/** Query parameters of the search routes. */
export const SearchPage = {
  offset: Optional(Int({ minimum: 0, default: 0 })),
  limit: PageLimit,
  ...IncludeParameter,
  /** If true, each hit includes the positions of the query's words. */
  highlight: Optional(Bool({ default: false })),
}

/** Query parameters of the list routes. A negative offset counts as 0. */
export const ListPage = { offset: Optional(Int({ default: 0 })), limit: PageLimit, ...IncludeParameter }

/** Filters and sorts in the query string of 1.x clients. */
export const OldParameters = Shape({
  response_status: Optional(List(OneOf([...RESPONSE_STATUSES, 'pending', 'missing']))),
  metadata: Optional(List(Type.String({ pattern: '^[^:]+:[\\s\\S]+$' }), { maxItems: 50 })),
  sort_by: Optional(List(Text(), { maxItems: 10 })),
})
export type OldParameters = Static<typeof OldParameters>

/** Target of a filter or sort. `as` defines the comparison: text by code point, including dates, or number. */
export type Target =
  | { kind: 'record'; property: RecordProperty; as: 'keyword' }
  | { kind: 'metadata'; propertyId: Id; as: 'keyword' | 'number' }
  | { kind: 'suggestion'; questionId: Id; questionName: string; property: SuggestionProperty; as: 'keyword' | 'number' }
  | { kind: 'response'; questionId: Id; questionName: string; as: 'keyword' | 'number' }

/** Target of an existence filter. */
export type Existing =
  | { kind: 'metadata'; propertyId: Id; as: 'keyword' | 'number' }
  /** A suggestion to one of these questions. */
  | { kind: 'suggestion'; questionIds: Id[] }
  /** A non-empty answer to the question, in a response of any status. */
  | { kind: 'response'; questionId: Id }
  | { kind: 'flag' }

export type RecordProperty = 'id' | 'external_id' | 'status' | 'inserted_at' | 'updated_at'
export type SuggestionProperty = 'value' | 'score' | 'agent' | 'type'

/** Inclusive at both ends; null means unbounded. A range with `from` above `to` matches nothing. */
export interface Range<T> {
  from: T | null
  to: T | null
}

/** A record matches if one of its values does. Each value of a multi-valued property is checked separately. */
export type Filter =
  | { kind: 'nothing' }
  /** Keyword targets: equal to one of the values. */
  | { kind: 'values'; target: Target; values: string[] }
  /** Keyword targets: within one of the ranges. Times have six fractional digits, like stored times. */
  | { kind: 'text_ranges'; target: Target; ranges: Range<string>[] }
  /** Number targets: within one of the ranges. Equality is the range of all numbers that count as equal. */
  | { kind: 'number_ranges'; target: Target; ranges: Range<number>[] }
  /** A response has one of the statuses or, with `pending`, there is no response. */
  | { kind: 'response_status'; statuses: ResponseStatus[]; pending: boolean }
  /** The record has a value or, if `exists` is false, has none. */
  | { kind: 'exists'; of: Existing; exists: boolean }

export type Order = 'asc' | 'desc'

/**
 * Missing values come last in both directions. With several values, `asc` uses the smallest and `desc` the largest; numbers in
 * responses use their average.
 */
export interface Sort {
  target: Target | { kind: 'response_status'; as: 'keyword' }
  order: Order
}

export type SimilarityOrder = 'most_similar' | 'least_similar'

/** A search validated against its dataset. Engines always add the record id as the last sort key. */
export interface SearchQuery {
  /** Null also for `*`. */
  text: { tree: TextQuery; field: string | null } | null
  similar: { vectorSettingsId: Id; value: number[]; order: SimilarityOrder; excludeRecordId: Id | null } | null
  filters: Filter[]
  /** Empty for similarity, which defines the order. */
  sort: Sort[]
  /** User whose responses and flags the filters and sorts use; null for all users. */
  userId: Id | null
  /** User for whom the records are shuffled. Only set without text, sort and similarity. */
  shuffleFor: Id | null
  offset: number
  limit: number
}
