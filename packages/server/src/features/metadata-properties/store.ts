/** All SQL of metadata properties. */
import { notFound, notUnique } from '@postil/domain/errors'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import type { MetadataPropertiesTable } from '../../storage/tables.ts'

export type StoredMetadataProperty = MetadataProperty & { no: number }

export const listMetadataProperties = (db: Queryable, datasetId: Id): Promise<StoredMetadataProperty[]> =>
  listMetadataPropertiesOf(db, [datasetId])

/** Lists the metadata properties of several datasets, oldest first. */
export async function listMetadataPropertiesOf(db: Queryable, datasetIds: readonly Id[]): Promise<StoredMetadataProperty[]> {
  const query = db.kysely.selectFrom('metadata_properties').selectAll().where('dataset_id', 'in', datasetIds)
  return (await query.orderBy('inserted_at').orderBy('id').execute()).map(toStored)
}

export async function findMetadataProperty(db: Queryable, id: Id): Promise<StoredMetadataProperty | null> {
  const row = await db.kysely.selectFrom('metadata_properties').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? toStored(row) : null
}

export async function loadMetadataProperty(db: Queryable, id: Id): Promise<StoredMetadataProperty> {
  const property = await findMetadataProperty(db, id)
  if (!property) throw notFound('MetadataProperty', id)
  return property
}

export async function insertMetadataProperty(db: Queryable, property: MetadataProperty): Promise<void> {
  const row = {
    ...property,
    visible_for_annotators: property.visible_for_annotators ? 1 : 0,
    settings: JSON.stringify(property.settings),
  }
  try {
    await db.kysely.insertInto('metadata_properties').values(row).execute()
  } catch (error) {
    throw db.dialect.isUniqueViolation(error)
      ? notUnique(`Metadata property with name \`${property.name}\` already exists`, ['name'])
      : error
  }
}

export async function updateMetadataProperty(db: Queryable, property: MetadataProperty): Promise<void> {
  const { title, updated_at } = property
  const changes = { title, updated_at, visible_for_annotators: property.visible_for_annotators ? 1 : 0 }
  await db.kysely.updateTable('metadata_properties').set(changes).where('id', '=', property.id).execute()
}

export async function deleteMetadataProperty(db: Queryable, id: Id): Promise<void> {
  await db.kysely.deleteFrom('metadata_properties').where('id', '=', id).execute()
}

function toStored(row: Selectable<MetadataPropertiesTable>): StoredMetadataProperty {
  return { ...row, visible_for_annotators: row.visible_for_annotators === 1, settings: JSON.parse(row.settings) }
}

/** Converts to the API representation. */
export function toMetadataProperty({ no: _no, ...property }: StoredMetadataProperty): MetadataProperty {
  return property
}
