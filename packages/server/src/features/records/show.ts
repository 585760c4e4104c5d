/** Pages of records as the caller may see them: relations that were asked for, metadata that is not hidden. */
import { type Actor, canSeeExtraMetadata, canSeeMetadataProperty } from '@postil/domain/permissions'
import type { RecordMetadata } from '@postil/domain/records'
import type { Include } from '@postil/domain/search/include'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { recordJson } from './record-json.ts'
import { listRelations } from './relations.ts'
import type { RecordRow } from './store.ts'

export interface Shown {
  dataset: StoredDataset
  settings: DatasetSettings
  include: Include
  /** Set when the caller sees only their own responses and the metadata that is visible to them. */
  viewer: Actor | null
}

export async function showRecords(
  db: Queryable,
  rows: readonly RecordRow[],
  { dataset, settings, include, viewer }: Shown,
): Promise<string[]> {
  const relations = await listRelations(db, settings, rows, { ...include, userId: viewer?.id ?? null })
  const show = metadataFor(viewer, dataset, settings)
  return rows.map(row => recordJson(show(row), relations(row), settings.names))
}

/** Takes out of a record's metadata what the viewer may not see. */
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
