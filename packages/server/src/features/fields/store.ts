/** All SQL of fields. */
import { notFound, notUnique } from '@postil/domain/errors'
import type { Field } from '@postil/domain/fields'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import type { FieldsTable } from '../../storage/tables.ts'

export const listFields = (db: Queryable, datasetId: Id): Promise<Field[]> => listFieldsOf(db, [datasetId])

/** Lists the fields of several datasets, oldest first. */
export async function listFieldsOf(db: Queryable, datasetIds: readonly Id[]): Promise<Field[]> {
  const rows = await db.kysely
    .selectFrom('fields')
    .selectAll()
    .where('dataset_id', 'in', datasetIds)
    .orderBy('inserted_at')
    .orderBy('id')
    .execute()
  return rows.map(toField)
}

export async function loadField(db: Queryable, id: Id): Promise<Field> {
  const row = await db.kysely.selectFrom('fields').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Field', id)
  return toField(row)
}

export async function insertField(db: Queryable, field: Field): Promise<void> {
  const row = { ...field, required: field.required ? 1 : 0, settings: JSON.stringify(field.settings) }
  try {
    await db.kysely.insertInto('fields').values(row).execute()
  } catch (error) {
    throw db.dialect.isUniqueViolation(error) ? notUnique(`Field with name \`${field.name}\` already exists`, ['name']) : error
  }
}

export async function updateField(db: Queryable, field: Field): Promise<void> {
  const { title, updated_at } = field
  await db.kysely
    .updateTable('fields')
    .set({ title, updated_at, settings: JSON.stringify(field.settings) })
    .where('id', '=', field.id)
    .execute()
}

export async function deleteField(db: Queryable, id: Id): Promise<void> {
  await db.kysely.deleteFrom('fields').where('id', '=', id).execute()
}

function toField(row: Selectable<FieldsTable>): Field {
  return { ...row, required: row.required === 1, settings: JSON.parse(row.settings) }
}
