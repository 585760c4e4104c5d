/** All SQL of `deleted_records`: the ids of records that the change log still names by their numbers. */
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from './database.ts'
import { DATASET_NO, loadDatasetNo } from './dataset-numbers.ts'

interface DeletedRecords {
  datasetId: Id
  /** Of the entry that says that they were deleted. */
  changeNo: number
  records: readonly { no: number; id: Id }[]
}

export async function insertDeletedRecords(db: Queryable, { datasetId, changeNo, records }: DeletedRecords): Promise<void> {
  if (records.length === 0) return
  const datasetNo = await loadDatasetNo(db, datasetId)
  const rows = records.map(({ no, id }) => [no, id, datasetNo, changeNo])
  await db.sql.insertAll('deleted_records', ['record_no', 'record_id', 'dataset_no', 'change_no'], rows)
}

/** Once the entry that says that a record was deleted is pruned, so are all others about the record. */
export async function deleteDeletedRecords(db: Queryable, datasetId: Id, upTo: number): Promise<void> {
  await db.sql.run(`delete from deleted_records where dataset_no = ${DATASET_NO} and change_no <= ?`, [datasetId, upTo])
}

/** Of one statement. */
const NUMBERS_MAX = 500

/** Number -> id, of records that exist and of those that were deleted. */
export async function listRecordIds(db: Queryable, nos: readonly number[]): Promise<Map<number, Id>> {
  const ids = new Map<number, Id>()
  const find = async (text: string, wanted: readonly number[]) => {
    for (let start = 0; start < wanted.length; start += NUMBERS_MAX) {
      const some = wanted.slice(start, start + NUMBERS_MAX)
      for (const { no, id } of await db.sql.all<{ no: number; id: Id }>(`${text} in (${marks(some)})`, some)) ids.set(no, id)
    }
  }
  await find('select no, id from records where no', nos)
  const missing = nos.filter(no => !ids.has(no))
  await find('select record_no as no, record_id as id from deleted_records where record_no', missing)
  return ids
}
