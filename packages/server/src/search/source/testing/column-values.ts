/** The content of a column, from the tables and from documents, in a comparable form. */
import type { Id } from '@postil/domain/schema'
import type { SearchDocument, SearchValue } from '@postil/domain/search/document'
import type { DatasetSettings } from '../../../features/datasets/settings.ts'
import { toShuffleBucket } from '../../../search/shuffle.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { ColumnBlock } from '../../columns/column-block.ts'
import type { ColumnKey } from '../../columns/column-key.ts'
import { readColumns } from '../read-columns.ts'

/**
 * Values by record number, or by record number and user. Entries without a value are left out, unless the column only records
 * presence.
 */
export type ColumnValues = Map<string, SearchValue[]>

/** Reads the blocks of a single column. */
export async function* readColumn(
  db: Queryable,
  dataset: { id: Id; settings: DatasetSettings },
  key: ColumnKey,
): AsyncGenerator<ColumnBlock> {
  for await (const { block } of readColumns(db, dataset, [key])) yield block
}

export async function fromBlocks(
  key: ColumnKey,
  blocks: AsyncIterable<ColumnBlock> | readonly ColumnBlock[],
): Promise<ColumnValues> {
  const found: ColumnValues = new Map()
  for await (const { recordNos, userIds, values } of blocks) {
    for (const [i, no] of recordNos.entries()) {
      const list = [values[i] ?? []].flat()
      if (isMarker(key) || list.length > 0) found.set(userIds.length === 0 ? `${no}` : `${no} ${userIds[i]}`, list)
    }
  }
  return found
}

/** True for columns that only record presence. */
const isMarker = (key: ColumnKey) => key.kind === 'flags' || (key.kind === 'suggestion' && key.property === 'present')

export function fromDocuments(key: ColumnKey, documents: ReadonlyMap<number, SearchDocument>): ColumnValues {
  const found: ColumnValues = new Map()
  for (const [no, document] of documents) {
    for (const [user, values] of valuesOf(key, document)) {
      if (isMarker(key) || values.length > 0) found.set(user === '' ? `${no}` : `${no} ${user}`, values)
    }
  }
  return found
}

/** Values by user, or by an empty text for values of the record. */
function valuesOf(key: ColumnKey, document: SearchDocument): [user: string, values: SearchValue[]][] {
  switch (key.kind) {
    case 'record':
      return [['', [key.property === 'shuffle' ? toShuffleBucket(document.id) : document[key.property]].flatMap(given)]]
    case 'metadata':
      return [['', document.metadata.get(key.propertyId) ?? []]]
    case 'suggestion': {
      const suggestion = document.suggestions.get(key.questionId)
      if (!suggestion) return []
      if (key.property === 'present') return [['', []]]
      if (key.property === 'value') return [['', suggestion.values]]
      return [['', key.property === 'score' ? suggestion.scores : given(suggestion[key.property])]]
    }
    case 'responses':
      return document.responses.map(({ user_id, status }) => [user_id, [status]])
    case 'response':
      return document.responses.map(({ user_id, values }) => [user_id, values.get(key.questionId) ?? []])
    case 'flags':
      return document.flags.map(user => [user, []])
  }
}

const given = (value: SearchValue | null): SearchValue[] => (value === null ? [] : [value])

/** Lists every column that a dataset with these properties and questions can have. */
export function listKeys(propertyIds: readonly string[], questionIds: readonly string[]): ColumnKey[] {
  return [
    ...(['id', 'external_id', 'status', 'inserted_at', 'updated_at', 'shuffle'] as const).map(
      (property): ColumnKey => ({ kind: 'record', property }),
    ),
    ...propertyIds.map((propertyId): ColumnKey => ({ kind: 'metadata', propertyId, as: 'keyword' })),
    ...questionIds.flatMap((questionId): ColumnKey[] => [
      ...(['value', 'score', 'agent', 'type'] as const).map(
        (property): ColumnKey => ({ kind: 'suggestion', questionId, property, as: 'keyword' }),
      ),
      { kind: 'suggestion', questionId, property: 'present' },
      { kind: 'response', questionId, property: 'value', as: 'keyword' },
      { kind: 'response', questionId, property: 'present' },
    ]),
    { kind: 'responses' },
    { kind: 'flags' },
  ]
}
