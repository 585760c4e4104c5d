/** All SQL for replacing a user by a pseudonym. */
import type { Id } from '@postil/domain/schema'
import { hashSkeleton } from '../../lib/skeleton-hash.ts'
import { uncacheUser } from '../../storage/cached-users.ts'
import { marks, type Queryable } from '../../storage/database.ts'
import { datasetIdSql } from '../../storage/dataset-numbers.ts'
import { PSEUDONYM } from '../../storage/deleted-users.ts'

/** Includes names of pseudonyms, and of deleted users whose row still exists. */
export async function isUsernameTaken(db: Queryable, username: string): Promise<boolean> {
  return (await db.sql.get('select 1 from users where username = ?', [username])) !== undefined
}

/** Deletes a user's bulk jobs, which stops running ones. */
export async function deleteBulkJobsOf(db: Queryable, userId: Id): Promise<void> {
  await db.sql.run('delete from bulk_jobs where user_id = ?', [userId])
}

/** Deletes all personal data and credentials of a user. Links to datasets remain. */
export async function replaceByPseudonym(
  db: Queryable,
  userId: Id,
  { username, now }: { username: string; now: string },
): Promise<void> {
  uncacheUser(db, userId)
  const text = `update users set role = '${PSEUDONYM}', username = ?, username_skeleton = ?, first_name = 'Deleted user', last_name = null,
    password_hash = '',
    api_key_hash = ?, api_key_encrypted = '', credentials_version = credentials_version + 1, deactivated_at = null, updated_at = ?
    where id = ?`
  await db.sql.run(text, [username, hashSkeleton(username), `${PSEUDONYM} ${userId}`, now, userId])
  for (const table of ['workspaces_users', 'sessions', 'user_identities']) {
    await db.sql.run(`delete from ${table} where user_id = ?`, [userId])
  }
}

/** Lists the datasets that show the name of a user, that is, those with their responses or comments. */
export function listDatasetsShowing(db: Queryable, userId: Id): Promise<Id[]> {
  const text = `select dataset_id from datasets_users where user_id = ?
    union select d.id from datasets d join dataset_heads h on h.dataset_id = d.id where h.no in
      (select r.dataset_no from record_comments c join records r on r.id = c.record_id where c.user_id = ?)`
  return db.sql.column(text, [userId, userId])
}

export interface FlaggedRecord {
  no: number
  id: Id
  /** Null if the dataset was deleted and the record awaits deletion. */
  dataset_id: Id | null
}

/** Lists arbitrary records that a user flagged, at most `limit`. */
export function listSomeFlagged(db: Queryable, userId: Id, limit: number): Promise<FlaggedRecord[]> {
  const text = `select r.no, r.id, (select d.id from datasets d where d.id = ${datasetIdSql('r')}) as dataset_id
    from record_flags f join records r on r.id = f.record_id where f.user_id = ? limit ?`
  return db.sql.all(text, [userId, limit])
}

export async function deleteFlags(db: Queryable, userId: Id, recordIds: readonly Id[]): Promise<void> {
  if (recordIds.length === 0) return
  await db.sql.run(`delete from record_flags where user_id = ? and record_id in (${marks(recordIds)})`, [userId, ...recordIds])
}
