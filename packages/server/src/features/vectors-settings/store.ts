/** All SQL of vectors settings. */
import { notFound, notUnique } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { VectorsSettings } from '@postil/domain/vectors'
import type { Queryable } from '../../storage/database.ts'

export type StoredVectorsSettings = VectorsSettings & { no: number }

export const listVectorsSettings = (db: Queryable, datasetId: Id): Promise<StoredVectorsSettings[]> =>
  listVectorsSettingsOf(db, [datasetId])

/** Lists the vectors settings of several datasets, oldest first. */
export function listVectorsSettingsOf(db: Queryable, datasetIds: readonly Id[]): Promise<StoredVectorsSettings[]> {
  return db.kysely
    .selectFrom('vectors_settings')
    .selectAll()
    .where('dataset_id', 'in', datasetIds)
    .orderBy('inserted_at')
    .orderBy('id')
    .execute()
}

export async function loadVectorsSettings(db: Queryable, id: Id): Promise<StoredVectorsSettings> {
  const row = await db.kysely.selectFrom('vectors_settings').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('VectorSettings', id)
  return row
}

export async function insertVectorsSettings(db: Queryable, settings: VectorsSettings): Promise<void> {
  try {
    await db.kysely.insertInto('vectors_settings').values(settings).execute()
  } catch (error) {
    throw db.dialect.isUniqueViolation(error)
      ? notUnique(`Vectors settings with name \`${settings.name}\` already exist`, ['name'])
      : error
  }
}

export async function updateVectorsSettings(db: Queryable, settings: VectorsSettings): Promise<void> {
  const { title, updated_at } = settings
  await db.kysely.updateTable('vectors_settings').set({ title, updated_at }).where('id', '=', settings.id).execute()
}

export async function deleteVectorsSettings(db: Queryable, id: Id): Promise<void> {
  await db.kysely.deleteFrom('vectors_settings').where('id', '=', id).execute()
}

/** Converts to the API representation. */
export function toVectorsSettings({ no: _no, ...settings }: StoredVectorsSettings): VectorsSettings {
  return settings
}
