/** SQL for recomputing the status of records. */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'

export interface AnsweredRecord {
  no: number
  id: Id
  status: string
}

/** Lists the next records that have a response, by number, and locks them against new responses. */
export async function listAnsweredRecordsAfter(
  db: Queryable,
  datasetId: Id,
  { after, limit }: { after: number; limit: number },
): Promise<AnsweredRecord[]> {
  const text = `select no, id, status from records
    where dataset_no = ? and no > ? and exists (select 1 from responses where record_no = records.no)
    order by no limit ?${db.dialect.forUpdate}`
  return db.sql.all(text, [await findDatasetNo(db, datasetId), after, limit])
}

export function updateStatuses(
  db: Queryable,
  records: readonly { no: number; status: string; updated_at: string }[],
): Promise<void> {
  return db.sql.runEach(
    'update records set status = ?, updated_at = ? where no = ?',
    records.map(({ no, status, updated_at }) => [status, updated_at, no]),
  )
}
