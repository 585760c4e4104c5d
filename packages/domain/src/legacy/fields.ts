/** Fields of a record that queries, sorts and metrics can use, and their values. */
import { ownProperty } from '../own-property.ts'
import type { Json } from '../schema.ts'
import { foldText, tokenize } from '../search/tokens.ts'
import type { Metadata, Side, StoredRecord } from './record.ts'
import type { DerivedValues, TaskRules } from './task.ts'

export type Value = string | number | boolean

/** A record for queries. Expensive values are computed on first use. */
export interface Document {
  record: StoredRecord
  readonly derived: DerivedValues
  /** Returns the tokens of a text of the record. */
  wordsOf(text: string): readonly string[]
  foldedOf(text: string): string
}

export function toDocument(record: StoredRecord, rules: TaskRules): Document {
  let derived: DerivedValues | null = null
  return {
    record,
    get derived() {
      derived ??= rules.derive(record)
      return derived
    },
    wordsOf: memoizeLast(tokenize),
    foldedOf: memoizeLast(foldText),
  }
}

function memoizeLast<T>(make: (text: string) => T): (text: string) => T {
  let last: { text: string; made: T } | null = null
  return text => {
    if (last?.text !== text) last = { text, made: make(text) }
    return last.made
  }
}

type FieldKind = 'words' | 'exact' | 'values'

/** How values are compared: `words` by token, `exact` split at white space, `values` unchanged. */
export function kindOfField(field: string): FieldKind {
  const isText = /^(text|inputs)(\.|$)/.test(field)
  if (field.endsWith('.exact')) return 'exact'
  if (isText || (/^(metadata|predicted_as|annotated_as|predicted_by|annotated_by)\./.test(field) && field.endsWith('.text')))
    return 'words'
  return 'values'
}

const agentOf = (side: Side | undefined): string[] => (side === undefined ? [] : [side.agent])

/** Keyed by the first part of the field's path. */
const VALUES: Record<string, (document: Document, rest: string[]) => Json[]> = {
  id: ({ record }) => [String(record.id)],
  text: ({ derived }) => [derived.text],
  inputs: ({ record }, rest) => entriesOf(record.inputs as Metadata | undefined, rest),
  metadata: ({ record }, rest) => entriesOf(record.metadata, rest),
  status: ({ record }) => [record.status],
  tokens: ({ record }) => (record.tokens ?? []) as string[],
  multi_label: ({ record }) => (record.multi_label === undefined ? [] : [record.multi_label]),
  event_timestamp: ({ record }) => (record.event_timestamp === undefined ? [] : [record.event_timestamp]),
  last_updated: ({ record }) => [record.last_updated],
  predicted: ({ derived }) => (derived.predicted === null ? [] : [derived.predicted]),
  predicted_as: ({ derived }) => derived.predicted_as,
  annotated_as: ({ derived }) => derived.annotated_as,
  predicted_by: ({ record }) => agentOf(record.prediction),
  annotated_by: ({ record }) => agentOf(record.annotation),
  score: ({ derived }) => derived.score,
  metrics: ({ derived }, rest) => walk(derived.metrics as unknown as Json, rest),
  predictions: ({ record }, rest) => walk(record.predictions ?? null, rest),
  annotations: ({ record }, rest) => walk(record.annotations ?? null, rest),
}

/** Keys may contain dots. A last step `text` or `exact` selects the comparison, unless it is part of the key. */
function entriesOf(entries: Metadata | undefined, steps: readonly string[]): Json[] {
  if (!entries) return []
  if (steps.length === 0) return Object.values(entries).flat()
  const last = steps.at(-1)
  const found =
    ownProperty(entries, steps.join('.')) ??
    (last === 'text' || last === 'exact' ? ownProperty(entries, steps.slice(0, -1).join('.')) : undefined)
  return found === undefined || steps[0]?.startsWith('_') ? [] : [found].flat()
}

function walk(value: Json, steps: readonly string[]): Json[] {
  if (Array.isArray(value)) return value.flatMap(item => walk(item, steps))
  if (value === null) return []
  const [step, ...rest] = steps
  if (step === undefined) return [value]
  return typeof value === 'object' ? walk(ownProperty(value, step) ?? null, rest) : []
}

const isValue = (value: Json): value is Value => value !== null && typeof value !== 'object'

/** Returns the values of a field; empty if the record has none or the field does not exist. */
export function valuesOf(document: Document, field: string): Value[] {
  const end = field.indexOf('.')
  const values = ownProperty(VALUES, end < 0 ? field : field.slice(0, end))
  return values === undefined ? [] : values(document, end < 0 ? [] : field.slice(end + 1).split('.')).filter(isValue)
}

export const SORT_FIELDS = [
  'id',
  'metadata',
  'score',
  'predicted',
  'predicted_as',
  'predicted_by',
  'annotated_as',
  'annotated_by',
  'status',
  'last_updated',
  'event_timestamp',
]
