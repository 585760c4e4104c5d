/** All SQL of a user's traces in records: responses, their history, flags and comments. */
import type { Id } from '@postil/domain/schema'
import type { UserContributions } from '@postil/domain/users'
import { marks, type Queryable } from '../../storage/database.ts'
import { datasetIdSql } from '../../storage/dataset-numbers.ts'

/** Needs `distinct`, because a user may have several versions or comments in a record. */
const TOUCHED = [
  'select record_no as no from responses where user_id = ?',
  'select distinct record_no as no from response_history where user_id = ?',
  'select r.no from record_flags f join records r on r.id = f.record_id where f.user_id = ?',
  'select distinct r.no from record_comments c join records r on r.id = c.record_id where c.user_id = ?',
]

/** Lists the numbers of arbitrary records with traces of a user, at most `limit`. */
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

/** Locks the datasets of these records against changes of the distribution, because the record status depends on it. */
export async function lockDatasetsOf(db: Queryable, nos: readonly number[]): Promise<void> {
  if (db.dialect.forShare === '' || nos.length === 0) return
  const text = `select 1 from datasets where id in (select ${datasetIdSql('r')} from records r where r.no in (${marks(nos)}))
    order by id${db.dialect.forShare}`
  await db.sql.all(text, nos)
}

/** Locks these records in the order of their numbers, like changes of responses do. */
export function lockTouched(db: Queryable, nos: readonly number[]): Promise<TouchedRecord[]> {
  if (nos.length === 0) return Promise.resolve([])
  const text = `select r.no, r.id, ${datasetIdSql('r')} as dataset_id, r.status from records r where r.no in (${marks(nos)})
    order by r.no${db.dialect.forUpdate}`
  return db.sql.all(text, nos)
}

/**
 * Deletes a user's traces in these records. One statement per record finds its few rows by record; for a list of records, the
 * database would scan all rows of the user.
 */
export async function deleteTraces(db: Queryable, userId: Id, records: readonly TouchedRecord[]): Promise<void> {
  const byNo = records.map(({ no }) => [no, userId])
  const byId = records.map(({ id }) => [id, userId])
  await db.sql.runEach('delete from responses where record_no = ? and user_id = ?', byNo)
  await db.sql.runEach('delete from response_history where record_no = ? and user_id = ?', byNo)
  await db.sql.runEach('delete from record_flags where record_id = ? and user_id = ?', byId)
  // An expression, so that the index by user is not used.
  await db.sql.runEach("delete from record_comments where record_id = ? and user_id || '' = ?", byId)
}

/** Counts only existing datasets, because records of deleted ones await deletion. */
export async function countContributions(db: Queryable, userId: Id): Promise<UserContributions> {
  const responses = `select h.no, count(*) as n from responses s join dataset_heads h on h.no = s.dataset_no
    join datasets d on d.id = h.dataset_id where s.user_id = ? group by h.no`
  const comments = `select h.no, count(*) as n from record_comments c join records r on r.id = c.record_id
    join dataset_heads h on h.no = r.dataset_no join datasets d on d.id = h.dataset_id where c.user_id = ? group by h.no`
  const given = await db.sql.all<{ no: number; n: number }>(responses, [userId])
  const said = await db.sql.all<{ no: number; n: number }>(comments, [userId])
  const sum = (rows: readonly { n: number }[]) => rows.reduce((total, { n }) => total + Number(n), 0)
  return { responses: sum(given), comments: sum(said), datasets: new Set([...given, ...said].map(({ no }) => no)).size }
}
