/** Fills a column from documents in bulk, like an engine fills it from the tables. */
import type { SearchDocument, SearchValue } from '@postil/domain/search/document'
import type { Bitmap } from '../../bitmap.ts'
import { toShuffleBucket } from '../../shuffle.ts'
import { ByteColumn } from '../byte-column.ts'
import type { ColumnKey } from '../column-key.ts'
import { IdColumn } from '../id-column.ts'
import { KeywordColumn } from '../keyword-column.ts'
import { NumberColumn } from '../number-column.ts'
import type { RecordColumns } from '../record-columns.ts'
import { Responses } from '../responses.ts'
import { toMicros } from '../times.ts'
import { UserRows } from '../user-rows.ts'

/** Documents by ordinal, ascending. */
export type Documents = ReadonlyMap<number, SearchDocument>

export function loadColumns(columns: RecordColumns, keys: readonly ColumnKey[], documents: Documents): void {
  for (const key of keys) if (!columns.has(key)) fillColumn(columns, key, documents)
}

function fillColumn(columns: RecordColumns, key: ColumnKey, documents: Documents): void {
  const column = columns.add(key)
  const ordinals = [...documents.keys()]
  const listed = [...documents.values()]
  if (column instanceof IdColumn) {
    column.fill(
      ordinals,
      listed.map(document => document.id),
    )
  } else if (column instanceof ByteColumn) {
    column.fill(
      ordinals,
      listed.map(document => toShuffleBucket(document.id)),
    )
  } else if (column instanceof Responses) {
    const rows = [...documents].flatMap(([ordinal, { responses }]) => responses.map(response => ({ ordinal, ...response })))
    column.fill(
      rows.map(row => row.ordinal),
      rows.map(row => row.user_id),
      rows.map(row => row.status),
    )
  } else if (column instanceof UserRows) {
    for (const [ordinal, { flags }] of documents) for (const userId of flags) column.add(ordinal, userId)
  } else if (key.kind === 'response') {
    const { rows } = columns.responses()
    const answers = [...documents].flatMap(([ordinal, { responses }]) =>
      responses.map(({ user_id, values }): [number, SearchValue[]] => [
        rows.find(ordinal, user_id),
        values.get(key.questionId) ?? [],
      ]),
    )
    fillValues(column, new Map(answers))
  } else {
    fillValues(column, new Map([...documents].map(([ordinal, document]) => [ordinal, valuesOf(key, document)])))
  }
}

function fillValues(column: KeywordColumn | NumberColumn | Bitmap, values: ReadonlyMap<number, SearchValue[]>): void {
  const rows = [...values].filter(row => row[1].length > 0)
  const ordinals = rows.map(row => row[0])
  const one = <T>(list: T[]) => (list.length === 1 ? (list[0] as T) : list)
  if (column instanceof KeywordColumn) {
    column.fill(
      ordinals,
      rows.map(row => one(row[1].map(String))),
    )
  } else if (column instanceof NumberColumn) {
    column.fill(
      ordinals,
      rows.map(row => one(row[1].map(Number))),
    )
  } else {
    column.fill(ordinals)
  }
}

function valuesOf(key: ColumnKey, document: SearchDocument): SearchValue[] {
  const present = (value: SearchValue | null | undefined) => (value == null ? [] : [value])
  if (key.kind === 'metadata') return document.metadata.get(key.propertyId) ?? []
  if (key.kind === 'record') {
    const value = key.property === 'shuffle' ? null : document[key.property]
    return present(/_at$/.test(key.property) && value !== null ? toMicros(value) : value)
  }
  if (key.kind !== 'suggestion') return []
  const suggestion = document.suggestions.get(key.questionId)
  if (key.property === 'present') return suggestion === undefined ? [] : [1]
  if (key.property === 'value') return suggestion?.values ?? []
  return key.property === 'score' ? (suggestion?.scores ?? []) : present(suggestion?.[key.property])
}
