import type { Json, TSchema } from '../schema.ts'
import type { Side, StoredRecord } from './record.ts'

/** Computed properties of a record for searches, sorts and metrics. */
export interface DerivedValues {
  text: string
  predicted_as: string[]
  annotated_as: string[]
  score: number[]
  /** `ok` if prediction and annotation are the same; null if one of them is missing. */
  predicted: 'ok' | 'ko' | null
  metrics: Metrics
}

export interface Mention {
  value: string
  label: string
  score: number
  capitalness: string | null
}

export interface Metrics {
  text_length: number
  tokens?: { value: string; capitalness: string | null }[]
  predicted?: { mentions: Mention[] }
  annotated?: { mentions: Mention[] }
}

/** The differences between tasks. */
export interface TaskRules {
  /** Schema of one record in a bulk request. */
  Record: TSchema
  /** Converts validated properties of the task to their stored form. */
  toStored(given: Record<string, Json>): Record<string, Json>
  /** Returns a prediction or annotation with its parts in stored order. Throws if it does not fit the record. */
  toStoredSide(side: Record<string, Json>, record: Record<string, Json>): Record<string, Json>
  derive(record: StoredRecord): DerivedValues
  /** Returns the labels of a prediction or annotation, for the label schema; empty if the task has no labels. */
  labelsOf(side: Side): string[]
}
