import { codePointLength } from '../code-points.ts'
import {
  AnyJson,
  AnyOf,
  Bool,
  Dictionary,
  Float,
  type Json,
  List,
  NullByDefault,
  Optional,
  Shape,
  StrictInt,
  Text,
} from '../schema.ts'
import { commonOf, LABEL_LENGTH_MAX, Score, type Side, type StoredRecord } from './record.ts'
import type { TaskRules } from './task.ts'

export interface Label {
  class: string | number
  score: number
}

const SCORES_SUM_MAX = 1.001
/** Score above which a label counts if a record may have several labels. */
const SCORE_CHOSEN = 0.5

const Labels = List(Shape({ class: AnyOf({ str: Text(1, LABEL_LENGTH_MAX), int: StrictInt }), score: Score }))

interface Given {
  inputs: { [key: string]: Json }
  multi_label?: boolean
  status?: string | null
  prediction?: { labels: Label[] } | null
  annotation?: { labels: Label[] } | null
  annotations?: Record<string, { labels: Label[] }> | null
}

const isText = (value: Json) =>
  typeof value === 'string' || (Array.isArray(value) && value.every(item => typeof item === 'string'))

function flattenInputs(inputs: { [key: string]: Json }): Record<string, Json> {
  const flat = Object.entries(inputs).flatMap(([key, value]): [string, Json][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(flattenInputs(value)).map(([name, inner]) => [`${key}.${name}`, inner])
      : [[key, value]],
  )
  return Object.fromEntries(flat)
}

function checkRecord({ inputs, multi_label = false, status, prediction, annotation, annotations }: Given): string | null {
  const values = Object.values(flattenInputs(inputs))
  if (values.length === 0) return '`inputs` must have at least one entry'
  if (!values.every(isText)) return 'each of `inputs` must be a text or a list of texts'
  if (multi_label) return null
  const sum = (prediction?.labels ?? []).reduce((total, { score }) => total + score, 0)
  if (sum > SCORES_SUM_MAX) return 'the scores of a prediction must add up to at most 1, unless `multi_label` is true'
  const annotated = annotation ?? Object.values(annotations ?? {})[0]
  if (annotated && annotated.labels.length !== 1) return 'an annotation must have exactly one label, unless `multi_label` is true'
  if (status === 'Validated' && !annotated) return 'a record with the status `Validated` needs an annotation'
  return null
}

export const labelsOfSide = (side: Side | undefined): Label[] => (side?.labels ?? []) as unknown as Label[]

export const byScore = (a: { score: number }, b: { score: number }) => b.score - a.score

/** Returns the top label or, if a record may have several, every label with a high score. */
function chosen(side: Side | undefined, isMulti: boolean): string[] {
  const labels = labelsOfSide(side)
  const some = isMulti ? labels.filter(({ score }) => score > SCORE_CHOSEN) : labels.slice(0, 1)
  return some.map(label => String(label.class))
}

const isSame = (a: readonly string[], b: readonly string[]) => new Set(a).symmetricDifference(new Set(b)).size === 0

export const textClassification: TaskRules = {
  Record: Shape(
    {
      ...commonOf({ labels: Labels }),
      inputs: Dictionary(AnyJson),
      multi_label: Optional(Bool({ default: false })),
      explanation: NullByDefault(Dictionary(List(Shape({ token: Text(), attributions: Optional(Dictionary(Float())) })))),
    },
    { 'x-check': checkRecord as (value: never) => string | null },
  ),
  toStored: ({ inputs, multi_label, explanation }) => ({
    inputs: flattenInputs(inputs as { [key: string]: Json }),
    multi_label: multi_label ?? false,
    explanation: explanation ?? null,
  }),
  toStoredSide: ({ labels }) => ({ labels: (labels as unknown as Label[]).toSorted(byScore) as unknown as Json }),
  derive: record => {
    const isMulti = record.multi_label === true
    const [predicted_as, annotated_as] = [chosen(record.prediction, isMulti), chosen(record.annotation, isMulti)]
    const scores = labelsOfSide(record.prediction).map(({ score }) => score)
    const text = textOf(record)
    return {
      text,
      predicted_as,
      annotated_as,
      score: isMulti ? scores : scores.slice(0, 1),
      predicted: record.prediction && record.annotation ? (isSame(predicted_as, annotated_as) ? 'ok' : 'ko') : null,
      metrics: { text_length: codePointLength(text) },
    }
  },
  labelsOf: side => labelsOfSide(side).map(label => String(label.class)),
}

const textOf = (record: StoredRecord) =>
  Object.values((record.inputs ?? {}) as Record<string, string | string[]>)
    .flat()
    .join('\n')
