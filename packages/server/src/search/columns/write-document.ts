/** Writes the parts of a record's document to its columns. */
import type { SearchDocument, SearchResponse, SearchValue } from '@postil/domain/search/document'
import { Bitmap } from '../bitmap.ts'
import { toShuffleBucket } from '../shuffle.ts'
import { ByteColumn } from './byte-column.ts'
import type { ColumnKey } from './column-key.ts'
import { IdColumn } from './id-column.ts'
import type { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import type { LoadedColumn } from './record-columns.ts'
import { type ChangedSlot, Responses } from './responses.ts'
import { toMicros } from './times.ts'
import { UserRows } from './user-rows.ts'

/** Replaces the values of a record in one column. `slots` has the changed slots of its responses. */
export function writeDocument(
  { key, column }: LoadedColumn,
  ordinal: number,
  document: SearchDocument,
  slots: readonly ChangedSlot[],
): void {
  if (column instanceof Responses) return
  if (column instanceof UserRows) writeFlags(column, ordinal, document.flags)
  else if (column instanceof IdColumn) column.set(ordinal, document.id)
  else if (column instanceof ByteColumn) column.set(ordinal, toShuffleBucket(document.id))
  else if (key.kind === 'response') for (const { slot, response } of slots) writeAnswer(key, column, slot, response)
  else if (column instanceof Bitmap) writeBit(column, ordinal, isPresent(key, document))
  else writeValues(column, ordinal, valuesOf(key, document))
}

/** Clears the values of a deleted record in one column. */
export function clearDocument({ key, column }: LoadedColumn, ordinal: number, slots: readonly ChangedSlot[]): void {
  if (column instanceof Responses) return
  if (column instanceof UserRows) writeFlags(column, ordinal, [])
  else if (key.kind === 'response') for (const { slot } of slots) column.clear(slot)
  else column.clear(ordinal)
}

function writeAnswer(
  { questionId }: Extract<ColumnKey, { kind: 'response' }>,
  column: KeywordColumn | NumberColumn | Bitmap,
  slot: number,
  response: SearchResponse | null,
): void {
  const values = response?.values.get(questionId) ?? []
  if (column instanceof Bitmap) writeBit(column, slot, values.length > 0)
  else writeValues(column, slot, values)
}

function writeBit(column: Bitmap, ordinal: number, isSet: boolean): void {
  if (isSet) column.set(ordinal)
  else column.clear(ordinal)
}

function writeValues(column: KeywordColumn | NumberColumn, ordinal: number, values: readonly SearchValue[]): void {
  if (column instanceof NumberColumn) column.set(ordinal, values.map(Number))
  else column.set(ordinal, values.map(String))
}

function writeFlags(flags: UserRows, ordinal: number, userIds: readonly string[]): void {
  const kept = new Set(userIds.map(userId => flags.add(ordinal, userId)))
  for (const slot of flags.slotsOf(ordinal)) if (!kept.has(slot)) flags.remove(slot)
}

function isPresent(key: ColumnKey, document: SearchDocument): boolean {
  return key.kind === 'suggestion' && document.suggestions.has(key.questionId)
}

function valuesOf(key: ColumnKey, document: SearchDocument): readonly SearchValue[] {
  if (key.kind === 'metadata') return document.metadata.get(key.propertyId) ?? []
  if (key.kind === 'record') return recordValues(key.property, document)
  const suggestion = key.kind === 'suggestion' ? document.suggestions.get(key.questionId) : undefined
  if (suggestion === undefined || key.kind !== 'suggestion') return []
  if (key.property === 'value') return suggestion.values
  if (key.property === 'score') return suggestion.scores
  const text = key.property === 'agent' ? suggestion.agent : suggestion.type
  return text === null ? [] : [text]
}

function recordValues(property: Extract<ColumnKey, { kind: 'record' }>['property'], document: SearchDocument): SearchValue[] {
  if (property === 'inserted_at' || property === 'updated_at') return [toMicros(document[property])]
  const text = property === 'status' || property === 'external_id' ? document[property] : null
  return text === null ? [] : [text]
}
