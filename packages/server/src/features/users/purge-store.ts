/** All SQL of what a user leaves in records: responses, their history, flags and comments. */
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import { datasetIdOf } from '../../storage/dataset-numbers.ts'

/** `distinct`, because a user may have several versions or comments in a record. */
const TOUCHED = [
  'select record_no as no from responses where user_id = ?',
  'select distinct record_no as no from response_history where user_id = ?',
  'select r.no from record_flags f join records r on r.id = f.record_id where f.user_id = ?',
  'select distinct r.no from record_comments c join records r on r.id = c.record_id where c.user_id = ?',
]

/** Numbers of any records in which a user left something, at most `limit`. */
export function listSomeTouched(db: Queryable, userId: Id, limit: number): Promise<number[]> {
  const parts = TOUCHED.map((text, index) => `select no from (${text} limit ?) part_${index}`)
  const params = TOUCHED.flatMap(() => [userId, limit])
  return db.sql.column(`${parts.join(' union ')} limit ?`, [...params, limit])
}

export interface TouchedRecord {
  no: number
  id: Id
  dataset_id: Id
  status: string
}

/** Keeps the distribution of these records' datasets from being changed: the status of a record depends on it. */
export async function lockDatasetsOf(db: Queryable, nos: readonly number[]): Promise<void> {
  if (db.dialect.forShare === '' || nos.length === 0) return
  const text = `select 1 from datasets where id in (select ${datasetIdOf('r')} from records r where r.no in (${marks(nos)}))
    order by id${db.dialect.forShare}`
  await db.sql.all(text, nos)
}

/** These records, locked in the order of their numbers, as those are who change responses. */
export function lockTouched(db: Queryable, nos: readonly number[]): Promise<TouchedRecord[]> {
  if (nos.length === 0) return Promise.resolve([])
  const text = `select r.no, r.id, ${datasetIdOf('r')} as dataset_id, r.status from records r where r.no in (${marks(nos)})
    order by r.no${db.dialect.forUpdate}`
  return db.sql.all(text, nos)
}

/**
 * Deletes all that a user left in these records. One statement for each record finds its rows by the record, of which there are few; for
 * a list of records, the database would walk through all that the user has.
 */
export async function deleteTraces(db: Queryable, userId: Id, records: readonly TouchedRecord[]): Promise<void> {
  const byNo = records.map(({ no }) => [no, userId])
  const byId = records.map(({ id }) => [id, userId])
  await db.sql.runEach('delete from responses where record_no = ? and user_id = ?', byNo)
  await db.sql.runEach('delete from response_history where record_no = ? and user_id = ?', byNo)
  await db.sql.runEach('delete from record_flags where record_id = ? and user_id = ?', byId)
  // An expression, so that the index by user is not taken.
  await db.sql.runEach("delete from record_comments where record_id = ? and user_id || '' = ?", byId)
}
