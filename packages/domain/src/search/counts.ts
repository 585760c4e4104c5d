/** Counts under a search: records in each queue, and how often each value of a target occurs among the matches. */
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
/** Values beyond these are counted together, unless a target sets its own limit. */
export const COUNTED_VALUES_MAX = 1000

/** What an annotator can have open: what waits for them, and their own responses by status. */
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

/** A search body without what only orders: sort and similarity. */
export const CountsBody = Shape(
  {
    query: Optional(Nullable(Shape({ text: Optional(Nullable(TextPart)) }))),
    filters: Optional(Nullable(Filters)),
    /** The queue that the total and the targets are counted in; all records when left out. */
    response_status: Optional(Nullable(OneOf(QUEUES))),
    of: Optional(Nullable(List(CountTarget, { maxItems: COUNT_TARGETS_MAX }))),
    /** Whether filters on a target are left out where its own values are counted. */
    exclude_own: Optional(Bool({ default: false })),
  },
  { 'x-alias': { filter: 'filters' }, 'x-null-is-absent': ['filters'] },
)
export type CountsBody = Static<typeof CountsBody>

const CountedValues = Shape({
  target: CountTarget,
  /** The most frequent first. A record with two values counts for both. */
  values: List(Shape({ value: Text(), count: Int() })),
  /** The counts of all values that are not listed, together. */
  other: Int(),
})

const CountedNumbers = Shape({
  target: CountTarget,
  /** The smallest and the largest among the matches; null when there is none. */
  min: Nullable(Float()),
  max: Nullable(Float()),
  /** Laid over the numbers of all records, so that they stay where they are while filters change; scores over 0 to 1. */
  buckets: List(Shape({ from: Float(), to: Float(), count: Int() })),
})

export const RecordCounts = Shape({
  total: Int(),
  /** Whichever queue was asked for: all of them, under the same query and filters. */
  by_status: Shape({ pending: Int(), draft: Int(), discarded: Int(), submitted: Int() }),
  targets: List(AnyOf({ values: CountedValues, numbers: CountedNumbers })),
})
export type RecordCounts = Static<typeof RecordCounts>

/** Counts that fit their dataset: what engines get. */
export interface CountQuery {
  text: SearchQuery['text']
  filters: Filter[]
  /** Whose responses, flags and queues. */
  userId: Id
  /** What narrows the filters to the queue that was asked for; null for all records. */
  queue: Queue | null
  /** The queues that `by_status` counts; others are 0 there. An engine reads responses only if some are asked for. */
  queues: readonly Queue[]
  targets: CountedTarget[]
}

export interface CountedTarget {
  target: Target
  /** Texts one by one, or numbers in buckets. Ratings are few, so they are counted like texts. */
  as: 'values' | BucketKind
  /** The conditions under which it is counted, the queue's included. */
  filters: Filter[]
  /** How many values are listed; `COUNTED_VALUES_MAX` by default. */
  valuesMax?: number
}

export type TargetCount =
  | { values: { value: string; count: number }[]; other: number }
  | { min: number | null; max: number | null; buckets: Bucket[] }

/** What engines answer: `targets` in the order of the query's. */
export interface Counts {
  total: number
  by_status: { [queue in Queue]: number }
  targets: TargetCount[]
}

export const NO_COUNTS = { pending: 0, draft: 0, discarded: 0, submitted: 0 }

/** What an engine answers where nothing can match. */
export const toEmptyCount = ({ as }: CountedTarget): TargetCount =>
  as === 'values' ? { values: [], other: 0 } : { min: null, max: null, buckets: [] }

/** The conditions of a queue. Waiting are records that the team has not completed and the user has not touched. */
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

/** A body, checked against its dataset. Throws `invalid`. */
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

/** Whether a filter looks at the same thing as a target. */
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
