/** Counts for a search: records in each queue, and facets, the counts of each value of a target among the matches. */
import { checkAt, invalid } from '../errors.ts'
import { RESPONSE_STATUSES } from '../responses.ts'
import {
  AnyOf,
  Bool,
  Float,
  type Id,
  Int,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Tagged,
  Text,
  type Timestamp,
  Words,
} from '../schema.ts'
import type { Bucket, BucketKind } from './buckets.ts'
import { type Filter, Filters, type SearchQuery, type Target, TextPart } from './query.ts'
import { resolveText } from './resolve.ts'
import { resolveScope, type SearchDataset, type TargetContext, toFilter, toResponseStatusFilter } from './targets.ts'

export const COUNT_TARGETS_MAX = 30
/** Maximum number of listed values. The rest is counted together. A target can set another limit. */
export const COUNTED_VALUES_MAX = 1000

/** Queues of an annotator: pending records, and the annotator's own responses by status. */
export const QUEUES = ['pending', ...RESPONSE_STATUSES] as const
export type Queue = (typeof QUEUES)[number]

export const CountTarget = Tagged('entity', {
  metadata: Shape({ entity: Words(['metadata']), metadata_property: Text(1, 200) }),
  suggestion: Shape({
    entity: Words(['suggestion']),
    question: Text(1, 200),
    property: Optional(Words(['value', 'score', 'agent', 'type'], { default: 'value' })),
  }),
  response: Shape({ entity: Words(['response']), question: Text(1, 200) }),
})
type CountTarget = Static<typeof CountTarget>

/** A search body without sort and similarity, which only affect the order. */
export const CountsBody = Shape(
  {
    query: Optional(Nullable(Shape({ text: Optional(Nullable(TextPart)) }))),
    filters: Optional(Nullable(Filters)),
    /** Queue in which the total and the targets are counted; all records if omitted. */
    response_status: Optional(Nullable(OneOf(QUEUES))),
    of: Optional(Nullable(List(CountTarget, { maxItems: COUNT_TARGETS_MAX }))),
    /** If true, filters on a target do not apply to the counts of that target. */
    exclude_own: Optional(Bool({ default: false })),
  },
  { 'x-alias': { filter: 'filters' }, 'x-null-is-absent': ['filters'] },
)
export type CountsBody = Static<typeof CountsBody>

const CountedValues = Shape({
  target: CountTarget,
  /** Most frequent first. A record with two values counts for both. */
  values: List(Shape({ value: Text(), count: Int() })),
  /** Total count of all values that are not listed. */
  other: Int(),
})

const CountedNumbers = Shape({
  target: CountTarget,
  /** The smallest and the largest number among the matches; null without matches. */
  min: Nullable(Float()),
  max: Nullable(Float()),
  /**
   * Bucket limits depend on the numbers of all records, so that they do not move when filters change. Scores always use 0 to 1.
   */
  buckets: List(Shape({ from: Float(), to: Float(), count: Int() })),
})

export const RecordCounts = Shape({
  total: Int(),
  /** Counts of all queues with the same query and filters, regardless of `response_status`. */
  by_status: Shape({ pending: Int(), draft: Int(), discarded: Int(), submitted: Int() }),
  targets: List(AnyOf({ values: CountedValues, numbers: CountedNumbers })),
})
export type RecordCounts = Static<typeof RecordCounts>

/** A count request validated against its dataset, for engines. */
export interface CountQuery {
  text: SearchQuery['text']
  filters: Filter[]
  /** User whose responses, flags and queues count. */
  userId: Id
  /** Queue that restricts the counts; null for all records. */
  queue: Queue | null
  /** Queues to count for `by_status`; the others are 0. Engines only read responses if there are any. */
  queues: readonly Queue[]
  targets: CountedTarget[]
}

export interface CountedTarget {
  target: Target
  /** Single values, or numbers in buckets. Ratings have few values, so they are counted as single values. */
  as: 'values' | BucketKind
  /** Filters for this count, including those of the queue. */
  filters: Filter[]
  /** Maximum number of listed values; `COUNTED_VALUES_MAX` by default. */
  valuesMax?: number
}

export type TargetCount =
  | { values: { value: string; count: number }[]; other: number }
  | { min: number | null; max: number | null; buckets: Bucket[] }

/** Result of an engine, with `targets` in the order of the query. */
export interface Counts {
  total: number
  by_status: { [queue in Queue]: number }
  targets: TargetCount[]
}

export const NO_COUNTS = { pending: 0, draft: 0, discarded: 0, submitted: 0 }

/** Result if nothing can match. */
export const toEmptyCount = ({ as }: CountedTarget): TargetCount =>
  as === 'values' ? { values: [], other: 0 } : { min: null, max: null, buckets: [] }

/** Returns the filters of a queue. Pending records are those that the team has not completed and the user has not answered. */
export function toQueueFilters(queue: Queue | null): Filter[] {
  if (queue === null) return []
  const byResponse = toResponseStatusFilter([queue])
  return queue === 'pending' ? [byResponse, PENDING_RECORD] : [byResponse]
}

const PENDING_RECORD: Filter = {
  kind: 'values',
  target: { kind: 'record', property: 'status', as: 'keyword' },
  values: ['pending'],
}

interface CountOptions {
  userId: Id
  hidesMetadata: boolean
  now: Timestamp
}

/** Validates a body against its dataset. Throws `invalid`. */
export function resolveCounts(
  body: CountsBody,
  dataset: SearchDataset,
  { userId, hidesMetadata, now }: CountOptions,
): CountQuery {
  const context: TargetContext = { dataset, hidesMetadata, now }
  const filters = (body.filters?.and ?? []).map((filter, i) => checkAt(['filters', 'and', i], () => toFilter(filter, context)))
  const queue = body.response_status ?? null
  const narrowed = [...filters, ...toQueueFilters(queue)]
  const targets = (body.of ?? []).map((scope, i) => {
    const counted = checkAt(['of', i], () => toCounted(scope, context))
    const isKept = (filter: Filter) => !body.exclude_own || !isOn(filter, counted.target)
    return { ...counted, filters: narrowed.filter(isKept) }
  })
  const text = body.query?.text == null ? null : resolveText(body.query.text, dataset)
  return { text, filters, userId, queue, queues: QUEUES, targets }
}

function toCounted(scope: CountTarget, context: TargetContext): Omit<CountedTarget, 'filters'> {
  const resolved = resolveScope(scope, context)
  if (resolved === null) throw invalid('The answers to this question cannot be counted by value')
  const { target, reading } = resolved
  if (target.kind === 'suggestion' && target.property === 'score') return { target, as: 'score' }
  if (target.kind === 'metadata' && (reading === 'integer' || reading === 'float')) return { target, as: reading }
  return { target, as: 'values' }
}

/** True if a filter applies to the target. */
function isOn(filter: Filter, target: Target): boolean {
  if (filter.kind === 'exists') return isExistenceOf(filter.of, target)
  return 'target' in filter && JSON.stringify(filter.target) === JSON.stringify(target)
}

function isExistenceOf(of: Extract<Filter, { kind: 'exists' }>['of'], target: Target): boolean {
  switch (of.kind) {
    case 'metadata':
      return target.kind === 'metadata' && target.propertyId === of.propertyId
    case 'suggestion':
      return target.kind === 'suggestion' && of.questionIds.length === 1 && of.questionIds[0] === target.questionId
    case 'response':
      return target.kind === 'response' && target.questionId === of.questionId
    case 'flag':
      return false
  }
}
