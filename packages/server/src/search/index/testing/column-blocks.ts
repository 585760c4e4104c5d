/** Derives the blocks of a column from documents, in the form in which they are read from the tables. */
import type { Id } from '@postil/domain/schema'
import type { SearchDocument, SearchValue } from '@postil/domain/search/document'
import type { ColumnBlock } from '../../columns/column-block.ts'
import type { ColumnKey } from '../../columns/column-key.ts'
import { toShuffleBucket } from '../../shuffle.ts'
import type { DatasetIndex } from '../dataset-index.ts'

const RECORDS_PER_BLOCK = 3

interface Row {
  recordNo: number
  userId?: Id
  value?: SearchValue | SearchValue[]
}

/** `documents` must be in the order of their record numbers. */
export function toBlocks(key: ColumnKey, documents: ReadonlyMap<number, SearchDocument>): ColumnBlock[] {
  const listed = [...documents]
  const starts = Array.from({ length: Math.ceil(listed.length / RECORDS_PER_BLOCK) }, (_, i) => i * RECORDS_PER_BLOCK)
  return starts.map(start => {
    const part = listed.slice(start, start + RECORDS_PER_BLOCK)
    const rows = part.flatMap(([recordNo, document]) => rowsOf(key, document).map(row => ({ recordNo, ...row })))
    return {
      recordNos: rows.map(({ recordNo }) => recordNo),
      userIds: rows.flatMap(({ userId }) => userId ?? []),
      values: rows.flatMap(({ value }) => (value === undefined ? [] : [value])),
    }
  })
}

function rowsOf(key: ColumnKey, document: SearchDocument): Omit<Row, 'recordNo'>[] {
  switch (key.kind) {
    case 'record': {
      const value = key.property === 'shuffle' ? toShuffleBucket(document.id) : document[key.property]
      return value === null ? [] : [{ value }]
    }
    case 'metadata':
      return [{ value: oneOrSeveral(document.metadata.get(key.propertyId) ?? []) }]
    case 'suggestion':
      return suggestionRows(key.property, document.suggestions.get(key.questionId))
    case 'responses':
      return document.responses.map(({ user_id, status }) => ({ userId: user_id, value: status }))
    case 'response':
      return document.responses.map(({ user_id, values }) => ({
        userId: user_id,
        value: oneOrSeveral(values.get(key.questionId) ?? []),
      }))
    case 'flags':
      return document.flags.map(userId => ({ userId }))
  }
}

type Suggestion = SearchDocument['suggestions'] extends Map<Id, infer T> ? T : never

function suggestionRows(property: string, suggestion: Suggestion | undefined): Omit<Row, 'recordNo'>[] {
  if (suggestion === undefined) return []
  if (property === 'present') return [{}]
  if (property === 'value') return [{ value: oneOrSeveral(suggestion.values) }]
  if (property === 'score') return [{ value: oneOrSeveral(suggestion.scores) }]
  const text = property === 'agent' ? suggestion.agent : suggestion.type
  return text === null ? [] : [{ value: text }]
}

function oneOrSeveral(values: SearchValue[]): SearchValue | SearchValue[] {
  return values.length === 1 ? (values[0] as SearchValue) : values
}

/** Loads a column with all its values. */
export function loadColumn(index: DatasetIndex, key: ColumnKey, blocks: readonly ColumnBlock[]): void {
  index.beginColumn(key)
  for (const block of blocks) index.fillColumn(key, block)
  index.endColumn(key)
}
