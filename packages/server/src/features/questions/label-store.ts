/** SQL for replacing labels. */
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'
import type { ResponseRow } from '../responses/store.ts'
import type { SuggestionRow } from '../suggestions/store.ts'

/** Lists the numbers of the next records of a dataset. */
export async function listNextRecordNos(
  db: Queryable,
  datasetId: Id,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit ?'
  return db.sql.column(text, [await findDatasetNo(db, datasetId), after, limit])
}

/** Prefilter: true if the JSON of a column contains this text, so that most rows need not be parsed. */
const containsText = (db: Queryable, column: string) => `${db.dialect.name === 'postgres' ? 'strpos' : 'instr'}(${column}, ?) > 0`

/** Lists responses that may contain the label, as an answer to any question. */
export function listResponsesWith(
  db: Queryable,
  recordNos: readonly number[],
  label: string,
): Promise<Pick<ResponseRow, 'record_no' | 'values'>[]> {
  if (recordNos.length === 0) return Promise.resolve([])
  const text = `select record_no, "values" from responses where record_no in (${marks(recordNos)}) and ${containsText(db, '"values"')}`
  return db.sql.all(text, [...recordNos, JSON.stringify(label)])
}

/** Lists suggestions for the question that may contain the label. */
export function listSuggestionsWith(
  db: Queryable,
  recordNos: readonly number[],
  questionNo: number,
  label: string,
): Promise<Pick<SuggestionRow, 'record_no' | 'value'>[]> {
  if (recordNos.length === 0) return Promise.resolve([])
  const text = `select record_no, value from suggestions
    where record_no in (${marks(recordNos)}) and question_no = ? and ${containsText(db, 'value')}`
  return db.sql.all(text, [...recordNos, questionNo, JSON.stringify(label)])
}

/** Returns the status of an unfinished or failed job that replaces a label of the question, or null if there is none. */
export async function findOpenMigration(db: Queryable, questionId: Id): Promise<string | null> {
  const text = `select status, payload from jobs where name = 'migrate-label' and status in ('queued', 'started', 'failed')
    order by id desc limit 1000`
  const rows = await db.sql.all<{ status: string; payload: string }>(text)
  return rows.find(({ payload }) => JSON.parse(payload).question_id === questionId)?.status ?? null
}
