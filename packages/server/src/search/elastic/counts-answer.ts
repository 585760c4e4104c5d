/** Parses the responses to the requests of counts.ts. Throws `unavailable` if a response does not cover the whole index. */
import { toBuckets } from '@postil/domain/search/buckets'
import { compareText } from '@postil/domain/search/compare-text'
import {
  type CountedTarget,
  type CountQuery,
  type Counts,
  NO_COUNTS,
  type Queue,
  type TargetCount,
} from '@postil/domain/search/counts'
import { boundName, type CountBounds, targetName, toPlan, valuesMaxOf } from './counts.ts'
import { toCompleteAnswer } from './query-answer.ts'

interface Counted {
  doc_count: number
}

interface NumberAnswer {
  value: number | null
}

interface Values {
  sum_other_doc_count: number
  buckets: (Counted & { key: string | number })[]
}

interface CountedValues extends Counted {
  values: Values
}

interface CountedAnswers extends Counted {
  responses: { own: { values: Values } }
}

interface CountedNumbers extends Counted {
  min?: NumberAnswer
  max?: NumberAnswer
  buckets?: { buckets: (Counted & { key: string })[] }
}

interface Answer<Aggregation> {
  aggregations: { [name: string]: Aggregation }
}

export function fromBoundsAnswer({ targets }: CountQuery, answer: unknown): CountBounds {
  const { aggregations } = toCompleteAnswer<Answer<NumberAnswer>>(answer)
  return targets.map((_, i) => {
    const min = aggregations[boundName(i, 'min')]?.value ?? null
    const max = aggregations[boundName(i, 'max')]?.value ?? null
    return min === null || max === null ? null : { min, max }
  })
}

export function fromCountAnswer({ queues, targets }: CountQuery, answer: unknown, bounds: CountBounds): Counts {
  const { aggregations } = toCompleteAnswer<Answer<Counted>>(answer)
  const countOf = (name: Queue | 'total') => aggregations[name]?.doc_count ?? 0
  return {
    total: countOf('total'),
    by_status: { ...NO_COUNTS, ...Object.fromEntries(queues.map(queue => [queue, countOf(queue)])) },
    targets: targets.map((counted, i) => fromTarget(counted, aggregations[targetName(i)], bounds[i])),
  }
}

function fromTarget(counted: CountedTarget, answer: Counted | undefined, bounds: CountBounds[number] | undefined): TargetCount {
  if (counted.as !== 'values') return fromNumbers(counted.as, answer as CountedNumbers, bounds)
  const isResponse = counted.target.kind === 'response'
  return fromValues(counted, isResponse ? (answer as CountedAnswers).responses.own.values : (answer as CountedValues).values)
}

/** Returns the most frequent values first; values with equal counts in code point order. Engines sort numbers differently. */
function fromValues(counted: CountedTarget, { buckets, sum_other_doc_count }: Values): TargetCount {
  const values = buckets.map(({ key, doc_count }) => ({ value: String(key), count: doc_count }))
  if (counted.target.as === 'number')
    values.sort((left, right) => right.count - left.count || compareText(left.value, right.value))
  const rest = values.splice(valuesMaxOf(counted))
  return { values, other: rest.reduce((sum, { count }) => sum + count, sum_other_doc_count) }
}

function fromNumbers(
  kind: Exclude<CountedTarget['as'], 'values'>,
  { min, max, buckets }: CountedNumbers,
  bounds: CountBounds[number] | undefined,
): TargetCount {
  const plan = toPlan(kind, bounds)
  if (plan === null) return { min: null, max: null, buckets: [] }
  const counts = new Map(buckets?.buckets.map(({ key, doc_count }) => [Number(key), doc_count]))
  return { min: min?.value ?? null, max: max?.value ?? null, buckets: toBuckets(plan, counts) }
}
