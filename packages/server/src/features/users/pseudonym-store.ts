/** All SQL of turning a user into a pseudonym. */
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import { datasetIdOf } from '../../storage/dataset-numbers.ts'
import { PSEUDONYM } from '../../storage/deleted-users.ts'

/** Also names of pseudonyms, and of deleted users whose row is still there. */
export async function isUsernameTaken(db: Queryable, username: string): Promise<boolean> {
  return (await db.sql.get('select 1 from users where username = ?', [username])) !== undefined
}

/** Bulk jobs of a user: those that run stop. */
export async function deleteBulkJobsOf(db: Queryable, userId: Id): Promise<void> {
  await db.sql.run('delete from bulk_jobs where user_id = ?', [userId])
}

/** Everything that tells who it was goes, and everything with which they could sign in. Links to datasets stay. */
export async function replaceByPseudonym(
  db: Queryable,
  userId: Id,
  { username, now }: { username: string; now: string },
): Promise<void> {
  const text = `update users set role = '${PSEUDONYM}', username = ?, first_name = 'Deleted user', last_name = null, password_hash = '',
    api_key_hash = ?, api_key_encrypted = '', credentials_version = credentials_version + 1, deactivated_at = null, updated_at = ?
    where id = ?`
  await db.sql.run(text, [username, `${PSEUDONYM} ${userId}`, now, userId])
  for (const table of ['workspaces_users', 'sessions', 'user_identities']) {
    await db.sql.run(`delete from ${table} where user_id = ?`, [userId])
  }
}

/** Datasets that show the name of a user: there they responded or commented. */
export function listDatasetsShowing(db: Queryable, userId: Id): Promise<Id[]> {
  const text = `select dataset_id from datasets_users where user_id = ?
    union select d.id from datasets d join dataset_heads h on h.dataset_id = d.id where h.no in
      (select r.dataset_no from record_comments c join records r on r.id = c.record_id where c.user_id = ?)`
  return db.sql.column(text, [userId, userId])
}

export interface FlaggedRecord {
  no: number
  id: Id
  /** Null: the dataset was deleted, and the record will be. */
  dataset_id: Id | null
}

/** Any records that a user flagged, at most `limit`. */
export function listSomeFlagged(db: Queryable, userId: Id, limit: number): Promise<FlaggedRecord[]> {
  const text = `select r.no, r.id, (select d.id from datasets d where d.id = ${datasetIdOf('r')}) as dataset_id
    from record_flags f join records r on r.id = f.record_id where f.user_id = ? limit ?`
  return db.sql.all(text, [userId, limit])
}

export async function deleteFlags(db: Queryable, userId: Id, recordIds: readonly Id[]): Promise<void> {
  if (recordIds.length === 0) return
  await db.sql.run(`delete from record_flags where user_id = ? and record_id in (${marks(recordIds)})`, [userId, ...recordIds])
}
