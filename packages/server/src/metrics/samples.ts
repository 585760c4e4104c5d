/**
 * Collects counters and histograms in memory and lists them as samples. Label values come from fixed sets, so that the number of
 * samples is bounded.
 */
import type { CounterName, HistogramName, MetricName } from './catalog.ts'

/** Value of a metric; serializable, so that it can be sent to another process. */
export interface Sample {
  name: MetricName
  /** `_bucket`, `_sum` or `_count` for a histogram. */
  suffix?: string
  labels: readonly (readonly [name: string, value: string])[]
  value: number
}

export type Labels = Readonly<Record<string, string>>

/** Upper bounds from 0.5 ms, which a small read takes, to beyond the time limit of a read. */
export const BUCKET_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export interface Counter {
  add(count?: number): void
}

export interface Histogram {
  observe(seconds: number): void
}

export interface Samples {
  /** Returns the same counter for the same name and labels. */
  counter(name: CounterName, labels?: Labels): Counter
  histogram(name: HistogramName, labels?: Labels): Histogram
  list(): Sample[]
}

export function createSamples(): Samples {
  const all = new Map<string, { metric: Counter | Histogram; list(): Sample[] }>()
  const once = <M extends Counter | Histogram>(
    name: MetricName,
    labels: Labels,
    make: () => { metric: M; list(): Sample[] },
  ): M => {
    const key = JSON.stringify([name, labels])
    const found = all.get(key) ?? make()
    all.set(key, found)
    // Safe cast: the name determines the type of the metric.
    return found.metric as M
  }
  return {
    counter: (name, labels = {}) => once(name, labels, () => makeCounter(name, labels)),
    histogram: (name, labels = {}) => once(name, labels, () => makeHistogram(name, labels)),
    list: () => [...all.values()].flatMap(({ list }) => list()),
  }
}

function makeCounter(name: CounterName, labels: Labels) {
  let value = 0
  const metric: Counter = {
    add: (count = 1) => {
      value += count
    },
  }
  return { metric, list: (): Sample[] => [{ name, labels: Object.entries(labels), value }] }
}

function makeHistogram(name: HistogramName, labels: Labels) {
  const counts = new Array<number>(BUCKET_SECONDS.length + 1).fill(0)
  let sum = 0
  const metric: Histogram = {
    observe: seconds => {
      let bucket = 0
      while (seconds > (BUCKET_SECONDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
      counts[bucket] = (counts[bucket] ?? 0) + 1
      sum += seconds
    },
  }
  const list = (): Sample[] => {
    const own = Object.entries(labels)
    let upTo = 0
    const buckets = counts.map((count, index): Sample => {
      upTo += count
      return { name, suffix: '_bucket', labels: [...own, ['le', String(BUCKET_SECONDS[index] ?? '+Inf')]], value: upTo }
    })
    return [...buckets, { name, suffix: '_sum', labels: own, value: sum }, { name, suffix: '_count', labels: own, value: upTo }]
  }
  return { metric, list }
}
