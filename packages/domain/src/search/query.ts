/**
 * A search: as it comes over the wire (schemas), and as engines get it (`SearchQuery`).
 *
 * Between the two stands `resolve.ts`: it knows the dataset, so that an engine meets ids instead of names, ranges instead of
 * date arithmetic, and nothing that could still be wrong.
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

/** How deep a client may page. */
export const RESULT_WINDOW_MAX = 500_000
export const PAGE_LIMIT_MAX = 1000

// `_server_id` is what older clients call the id.
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

// Text first: a bound sent as text stays text, also when it reads like a number. True counts as 1.
const Bound = Optional(Nullable(AnyOf({ str: Type.String(), float: Float(), bool: Bool() })))
type Bound = string | number | boolean | null

export const RangeFilter = Shape({ type: Words(['range']), scope: Scope, ge: Bound, le: Bound }, { 'x-check': checkBounds })
export type RangeFilter = Static<typeof RangeFilter>

export function checkBounds({ ge, le }: { ge?: Bound; le?: Bound }): string | null {
  if (ge == null && le == null) return 'at least one of `ge` and `le` is needed'
  if (ge == null || le == null) return null
  if ((typeof ge === 'string') !== (typeof le === 'string')) return '`ge` and `le` must both be numbers or both be texts'
  return ge <= le ? null : '`ge` must not be above `le`'
}

/** What a record may have or lack: for responses and suggestions to one question, or to any. */
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

/** `include` is checked by `parseInclude`, whose errors are plain texts. */
export const RecordIncludes = Optional(List(Text()))
const IncludeParameter = { include: RecordIncludes }

/** Query parameters of the search routes. */
export const SearchPage = {
  offset: Optional(Int({ minimum: 0, default: 0 })),
  limit: PageLimit,
  ...IncludeParameter,
  /** Where the words of the query stand in each hit's texts. */
  highlight: Optional(Bool({ default: false })),
}

/** Query parameters of the list routes, where a negative offset counts as 0. */
export const ListPage = { offset: Optional(Int({ default: 0 })), limit: PageLimit, ...IncludeParameter }

/** Conditions and order in the query string, as clients of the 1.x line send them. */
export const OldParameters = Shape({
  response_status: Optional(List(OneOf([...RESPONSE_STATUSES, 'pending', 'missing']))),
  metadata: Optional(List(Type.String({ pattern: '^[^:]+:[\\s\\S]+$' }), { maxItems: 50 })),
  sort_by: Optional(List(Text(), { maxItems: 10 })),
})
export type OldParameters = Static<typeof OldParameters>

/** What a filter or sort looks at. `as` says how values are compared: texts by code point (dates too), or numbers. */
export type Target =
  | { kind: 'record'; property: RecordProperty; as: 'keyword' }
  | { kind: 'metadata'; propertyId: Id; as: 'keyword' | 'number' }
  | { kind: 'suggestion'; questionId: Id; questionName: string; property: SuggestionProperty; as: 'keyword' | 'number' }
  | { kind: 'response'; questionId: Id; questionName: string; as: 'keyword' | 'number' }

/** What a record may have or lack. */
export type Existing =
  | { kind: 'metadata'; propertyId: Id; as: 'keyword' | 'number' }
  /** A suggestion to one of these questions. */
  | { kind: 'suggestion'; questionIds: Id[] }
  /** An answer to the question with something in it, in a response of whatever status. */
  | { kind: 'response'; questionId: Id }
  | { kind: 'flag' }

export type RecordProperty = 'id' | 'external_id' | 'status' | 'inserted_at' | 'updated_at'
export type SuggestionProperty = 'value' | 'score' | 'agent' | 'type'

/** Both ends included; null is open. A range may be empty (`from` above `to`): it then matches nothing. */
export interface Range<T> {
  from: T | null
  to: T | null
}

/** A record matches when one of its values does. Values of multi-valued properties are looked at one by one. */
export type Filter =
  | { kind: 'nothing' }
  /** Keyword targets: equal to one of the values. */
  | { kind: 'values'; target: Target; values: string[] }
  /** Keyword targets: within one of the ranges. Times are six-digit texts, as stored. */
  | { kind: 'text_ranges'; target: Target; ranges: Range<string>[] }
  /** Number targets: within one of the ranges. Equality with a number is the range of all that counts as equal to it. */
  | { kind: 'number_ranges'; target: Target; ranges: Range<number>[] }
  /** Some response has one of the statuses; or, with `pending`, there is no response. */
  | { kind: 'response_status'; statuses: ResponseStatus[]; pending: boolean }
  /** The record has it or, when `exists` is false, lacks it. */
  | { kind: 'exists'; of: Existing; exists: boolean }

export type Order = 'asc' | 'desc'

/**
 * Missing values come last in both directions. Of several values the smallest counts for `asc`, the largest for `desc`; of
 * numbers in responses their average.
 */
export interface Sort {
  target: Target | { kind: 'response_status'; as: 'keyword' }
  order: Order
}

export type SimilarityOrder = 'most_similar' | 'least_similar'

/** A search that fits its dataset. Engines add the record id as last sort key, always. */
export interface SearchQuery {
  /** Null also for `*`. */
  text: { tree: TextQuery; field: string | null } | null
  similar: { vectorSettingsId: Id; value: number[]; order: SimilarityOrder; excludeRecordId: Id | null } | null
  filters: Filter[]
  /** Empty for similarity, which has an order of its own. */
  sort: Sort[]
  /** Filters and sorts on responses and flags look at this user's only; null: at everybody's. */
  userId: Id | null
  /** Set when the order is this user's own shuffle: no text, no sort, no similarity. */
  shuffleFor: Id | null
  offset: number
  limit: number
}
