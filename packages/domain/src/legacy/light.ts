/**
 * Light documents: the part of a record that an index stores. It has everything that filters, sorts and most counts need, but no
 * texts.
 */
import { foldText, tokenize } from '../search/tokens.ts'
import type { Document } from './fields.ts'
import type { Metadata, Side } from './record.ts'
import type { Mention, Metrics } from './task.ts'

/** First path segments of fields that light documents do not store. */
const OMITTED_FIELDS = new Set(['text', 'inputs', 'tokens', 'predictions', 'annotations'])

/** True if a light document has the same values for this field as the full document. */
export const isLightField = (field: string): boolean =>
  field !== 'metadata' && !field.startsWith('metrics.tokens') && !OMITTED_FIELDS.has(field.split('.', 1)[0] ?? '')

/** Interns values, so that texts shared by many records are stored once. */
export type Intern = <T>(value: T) => T

const agentOnly = (side: Side | undefined, shared: Intern) =>
  side === undefined ? {} : ({ agent: shared(side.agent) } satisfies Side)

/** Returns a document for fields that pass `isLightField` and for metrics with `isLight`. Its `derived.text` is empty. */
export function toLight({ record, derived }: Document, shared: Intern): Document {
  const { id, status, metadata, event_timestamp, last_updated, multi_label, prediction, annotation } = record
  return {
    record: {
      id,
      status: shared(status),
      last_updated: shared(last_updated),
      ...(metadata === undefined ? {} : { metadata: lightMetadata(metadata, shared) }),
      ...(event_timestamp === undefined ? {} : { event_timestamp }),
      ...(multi_label === undefined ? {} : { multi_label }),
      ...(prediction === undefined ? {} : { prediction: agentOnly(prediction, shared) as Side }),
      ...(annotation === undefined ? {} : { annotation: agentOnly(annotation, shared) as Side }),
    },
    derived: {
      text: '',
      predicted_as: derived.predicted_as.map(shared),
      annotated_as: derived.annotated_as.map(shared),
      score: derived.score,
      predicted: derived.predicted,
      metrics: lightMetrics(derived.metrics, shared),
    },
    wordsOf: tokenize,
    foldedOf: foldText,
  }
}

const lightMetrics = ({ text_length, predicted, annotated }: Metrics, shared: Intern): Metrics => ({
  text_length,
  ...(predicted === undefined
    ? {}
    : { predicted: { mentions: predicted.mentions.map(mention => lightMention(mention, shared)) } }),
  ...(annotated === undefined
    ? {}
    : { annotated: { mentions: annotated.mentions.map(mention => lightMention(mention, shared)) } }),
})

const lightMention = ({ value, label, score, capitalness }: Mention, shared: Intern): Mention => ({
  value: shared(value),
  label: shared(label),
  score,
  capitalness,
})

/** Drops keys that start with `_`, which are stored but not searched. */
const lightMetadata = (metadata: Metadata, shared: Intern): Metadata =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter(([key]) => !key.startsWith('_'))
      .map(([key, value]) => [shared(key), shared(value)]),
  )
