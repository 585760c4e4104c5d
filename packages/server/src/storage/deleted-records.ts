/** All SQL of `deleted_records`: ids of deleted records that the change log still refers to by number. */
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from './database.ts'
import { DATASET_NO, loadDatasetNo } from './dataset-numbers.ts'

interface DeletedRecords {
  datasetId: Id
  /** Number of the log entry of the deletion. */
  changeNo: number
  records: readonly { no: number; id: Id }[]
}

export async function insertDeletedRecords(db: Queryable, { datasetId, changeNo, records }: DeletedRecords): Promise<void> {
  if (records.length === 0) return
  const datasetNo = await loadDatasetNo(db, datasetId)
  const rows = records.map(({ no, id }) => [no, id, datasetNo, changeNo])
  await db.sql.insertAll('deleted_records', ['record_no', 'record_id', 'dataset_no', 'change_no'], rows)
}

/** Deletes the ids of records whose deletion was pruned from the log, because all earlier entries about them are pruned too. */
export async function deleteDeletedRecords(db: Queryable, datasetId: Id, upTo: number): Promise<void> {
  await db.sql.run(`delete from deleted_records where dataset_no = ${DATASET_NO} and change_no <= ?`, [datasetId, upTo])
}

/** Maximum numbers in one statement. */
const NUMBERS_MAX = 500

/** Returns ids by record number, for existing and deleted records. */
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
