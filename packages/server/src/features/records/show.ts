/** Pages of records as visible to the caller: with the requested relations, without hidden metadata. */
import { type Actor, canSeeExtraMetadata, canSeeMetadataProperty } from '@postil/domain/permissions'
import type { RecordMetadata } from '@postil/domain/records'
import type { Include } from '@postil/domain/search/include'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { recordJson } from './record-json.ts'
import { listRelations } from './relations.ts'
import type { RecordRow } from './store.ts'

export interface RecordView {
  dataset: StoredDataset
  settings: DatasetSettings
  include: Include
  /** Set if the caller only sees their own responses and visible metadata. */
  viewer: Actor | null
}

export async function showRecords(db: Queryable, rows: readonly RecordRow[], view: RecordView): Promise<string[]> {
  return toTexts(rows, await listShownRelations(db, rows, view), view)
}

/** Reads the relations for `toTexts`. Can run concurrently with reading the rows. */
export const listShownRelations = (
  db: Queryable,
  records: Parameters<typeof listRelations>[2],
  { settings, include, viewer }: RecordView,
) => listRelations(db, settings, records, { ...include, userId: viewer?.id ?? null })

export function toTexts(
  rows: readonly RecordRow[],
  relations: Awaited<ReturnType<typeof listRelations>>,
  { dataset, settings, viewer }: RecordView,
): string[] {
  const show = metadataFor(viewer, dataset, settings)
  return rows.map(row => recordJson(show(row), relations(row), settings.names))
}

/** Removes metadata that the viewer may not see. */
function metadataFor(viewer: Actor | null, dataset: StoredDataset, settings: DatasetSettings): (row: RecordRow) => RecordRow {
  if (viewer === null || canSeeExtraMetadata(viewer, dataset)) return row => row
  const visible = new Set(
    settings.metadataProperties
      .filter(property => canSeeMetadataProperty(viewer, dataset, property))
      .map(property => property.name),
  )
  return row => {
    if (row.metadata === null) return row
    const entries = Object.entries(JSON.parse(row.metadata) as RecordMetadata).filter(([name]) => visible.has(name))
    return { ...row, metadata: JSON.stringify(Object.fromEntries(entries)) }
  }
}
