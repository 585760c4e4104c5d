/** Precision, recall and F1 of predictions against annotations. */
import type { Counter, MetricResult } from './counts.ts'
import type { Document } from './fields.ts'

interface Tally {
  both: number
  predicted: number
  annotated: number
}

interface Scores {
  precision: number
  recall: number
  f1: number
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)

function toScores({ both, predicted, annotated }: Tally): Scores {
  const [precision, recall] = [ratio(both, predicted), ratio(both, annotated)]
  return { precision, recall, f1: ratio(2 * precision * recall, precision + recall) }
}

/** The compared items. Two items are equal if their keys are. */
interface Sides {
  predicted: readonly { label: string; key: string }[]
  annotated: readonly { label: string; key: string }[]
}

interface F1Options {
  sidesOf(document: Document): Sides
  withSupport: boolean
  isEmptyWithoutPairs: boolean
}

export function countF1({ sidesOf, withSupport, isEmptyWithoutPairs }: F1Options): Counter {
  const tallies = new Map<string, Tally>()
  let pairs = 0
  const tallyOf = (label: string): Tally => {
    const tally = tallies.get(label) ?? { both: 0, predicted: 0, annotated: 0 }
    tallies.set(label, tally)
    return tally
  }
  return {
    add: document => {
      if (!document.record.prediction || !document.record.annotation) return
      pairs++
      const { predicted, annotated } = sidesOf(document)
      const keys = new Set(annotated.map(({ key }) => key))
      for (const { label, key } of predicted) {
        const tally = tallyOf(label)
        tally.predicted++
        if (keys.has(key)) tally.both++
      }
      for (const { label } of annotated) tallyOf(label).annotated++
    },
    result: () => (pairs === 0 && isEmptyWithoutPairs ? {} : toResult(tallies, withSupport)),
  }
}

function toResult(tallies: ReadonlyMap<string, Tally>, withSupport: boolean): MetricResult {
  const labels = [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([label, tally]) => ({ label, tally, ...toScores(tally) }))
  const mean = (of: keyof Scores) =>
    ratio(
      labels.reduce((sum, scores) => sum + scores[of], 0),
      labels.length,
    )
  const all = labels.reduce(
    (sum, { tally }) => ({
      both: sum.both + tally.both,
      predicted: sum.predicted + tally.predicted,
      annotated: sum.annotated + tally.annotated,
    }),
    { both: 0, predicted: 0, annotated: 0 },
  )
  const micro = toScores(all)
  const result: MetricResult = {
    precision_macro: mean('precision'),
    recall_macro: mean('recall'),
    f1_macro: mean('f1'),
    precision_micro: micro.precision,
    recall_micro: micro.recall,
    f1_micro: micro.f1,
  }
  const own = labels.flatMap(({ label, tally, precision, recall, f1 }) => [
    [`${label}_precision`, precision],
    [`${label}_recall`, recall],
    [`${label}_f1`, f1],
    ...(withSupport ? [[`${label}_support`, tally.annotated]] : []),
  ])
  return { ...result, ...Object.fromEntries(own) }
}
