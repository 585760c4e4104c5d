/** Formats records for responses. */
import { type Document, toDocument } from '@postil/domain/legacy/fields'
import { keywordsOf } from '@postil/domain/legacy/match'
import { matchesPattern, type Pattern } from '@postil/domain/legacy/pattern'
import type { QueryNode } from '@postil/domain/legacy/query-text'
import type { StoredRecord } from '@postil/domain/legacy/record'
import { TASK_RULES } from '@postil/domain/legacy/rules-of'
import type { Task } from '@postil/domain/legacy/tasks'
import type { Json } from '@postil/domain/schema'
import type { StoredRow } from './records-store.ts'

type JsonObject = { [key: string]: Json }

interface ShowOptions {
  task: Task
  /** Query whose words are listed in `search_keywords`; null for none. */
  node: QueryNode | null
  withMetrics: boolean
}

/** Returns the API format without null values. */
export function showRecord({ record, vectors }: StoredRow, { task, node, withMetrics }: ShowOptions): JsonObject {
  const document = toDocument(record, TASK_RULES[task])
  return {
    ...(record as JsonObject),
    ...(vectors === null ? {} : { vectors: vectors as unknown as Json }),
    metrics: withMetrics ? (document.derived.metrics as unknown as Json) : {},
    ...keywords(document, node),
  }
}

const keywords = (document: Document, node: QueryNode | null): JsonObject => {
  const found = node === null ? [] : keywordsOf(document, node)
  return found.length === 0 ? {} : { search_keywords: found }
}

/** Keys of every record in responses that include null values. */
const KEYS: (keyof StoredRecord)[] = [
  'id',
  'metadata',
  'event_timestamp',
  'status',
  'prediction',
  'annotation',
  'predictions',
  'annotations',
  'vectors',
  'search_keywords',
]

export const showWithNulls = (row: StoredRow, task: Task): JsonObject => ({
  ...Object.fromEntries(KEYS.map(key => [key, null])),
  ...showRecord(row, { task, node: null, withMetrics: false }),
})

/** Returns the stored format with the derived fields of searches, limited to fields whose path matches one of the patterns. */
export function showStored(
  row: StoredRow,
  { task, node }: { task: Task; node: QueryNode | null },
  patterns: readonly Pattern[] | null,
): JsonObject {
  const document = toDocument(row.record, TASK_RULES[task])
  const { derived } = document
  const { id: _id, ...record } = toStoredLabels(row.record as JsonObject, task)
  const all: JsonObject = {
    ...record,
    ...(row.vectors === null ? {} : { vectors: row.vectors as unknown as Json }),
    text: derived.text,
    predicted_as: derived.predicted_as,
    annotated_as: derived.annotated_as,
    predicted_by: row.record.prediction ? [row.record.prediction.agent] : [],
    annotated_by: row.record.annotation ? [row.record.annotation.agent] : [],
    score: derived.score,
    ...(derived.predicted === null ? {} : { predicted: derived.predicted }),
    metrics: derived.metrics as unknown as Json,
    ...keywords(document, node),
  }
  return { ...(patterns === null ? all : (project(all, patterns, '') ?? {})), id: row.id }
}

/** Labels of text classification have another key in the stored format. */
function toStoredLabels(record: JsonObject, task: Task): JsonObject {
  if (task !== 'TextClassification') return record
  const rename = (side: Json | undefined): Json => {
    const { labels, ...rest } = side as JsonObject & { labels: { class: Json; score: Json }[] }
    return { ...rest, labels: labels.map(label => ({ class_label: label.class, score: label.score })) }
  }
  const renameAll = (sides: Json | undefined): Json =>
    Object.fromEntries(Object.entries(sides as JsonObject).map(([agent, side]) => [agent, rename(side)]))
  const renamed: JsonObject = { ...record }
  for (const key of ['prediction', 'annotation']) if (record[key]) renamed[key] = rename(record[key])
  for (const key of ['predictions', 'annotations']) if (record[key]) renamed[key] = renameAll(record[key])
  return renamed
}

/** Returns undefined if no field remains. */
function project(value: Json, patterns: readonly Pattern[], path: string): JsonObject | undefined {
  const kept = Object.entries(value as JsonObject).flatMap(([key, inner]): [string, Json][] => {
    const place = path === '' ? key : `${path}.${key}`
    if (patterns.some(pattern => matchesPattern(pattern, place))) return [[key, inner]]
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return []
    const rest = project(inner, patterns, place)
    return rest === undefined ? [] : [[key, rest]]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
