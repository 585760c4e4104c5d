/** The values of metadata that filters, sorts and metrics look up. */
import { marks, type Queryable } from '../../storage/database.ts'

export interface MetadataValue {
  property_no: number
  record_no: number
  value: string | number
}

const IGNORE = 'on conflict do nothing'

export async function insertMetadataValues(db: Queryable, values: readonly MetadataValue[]): Promise<void> {
  const columns = ['property_no', 'value', 'record_no']
  const rows = (kind: string) =>
    values.filter(({ value }) => typeof value === kind).map(row => [row.property_no, row.value, row.record_no])
  await db.sql.insertAll('metadata_terms', columns, rows('string'), IGNORE)
  await db.sql.insertAll('metadata_numbers', columns, rows('number'), IGNORE)
}

export async function deleteMetadataValues(db: Queryable, recordNos: readonly number[]): Promise<void> {
  if (recordNos.length === 0) return
  await db.sql.run(`delete from metadata_terms where record_no in (${marks(recordNos)})`, recordNos)
  await db.sql.run(`delete from metadata_numbers where record_no in (${marks(recordNos)})`, recordNos)
}

export async function deletePropertyValues(db: Queryable, propertyNo: number): Promise<void> {
  await db.sql.run('delete from metadata_terms where property_no = ?', [propertyNo])
  await db.sql.run('delete from metadata_numbers where property_no = ?', [propertyNo])
}

export async function listMetadataValues(db: Queryable, recordNos: readonly number[]): Promise<MetadataValue[]> {
  const select = (table: string) => `select property_no, record_no, value from ${table} where record_no in (${marks(recordNos)})`
  return [
    ...(await db.sql.all<MetadataValue>(select('metadata_terms'), recordNos)),
    ...(await db.sql.all<MetadataValue>(select('metadata_numbers'), recordNos)),
  ]
}
