/** The values of metadata that filters, sorts and metrics look up. */
import { numberBucket } from '../../lib/number-bucket.ts'
import { marks, type Param, type Queryable } from '../../storage/database.ts'

export interface MetadataValue {
  property_no: number
  record_no: number
  value: string | number
}

const IGNORE = 'on conflict do nothing'

export async function insertMetadataValues(db: Queryable, values: readonly MetadataValue[]): Promise<void> {
  const terms: Param[][] = []
  const numbers: Param[][] = []
  for (const { property_no, record_no, value } of values) {
    if (typeof value === 'string') terms.push([record_no, property_no, value])
    else numbers.push([record_no, property_no, value, numberBucket(value)])
  }
  await db.sql.insertAll('metadata_terms', ['record_no', 'property_no', 'value'], terms, IGNORE)
  await db.sql.insertAll('metadata_numbers', ['record_no', 'property_no', 'value', 'bucket'], numbers, IGNORE)
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
