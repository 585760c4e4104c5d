/** All SQL of sessions. */
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import type { SessionsTable } from '../../storage/tables.ts'

export type SessionRow = Selectable<SessionsTable>

const SELECT = 'select id, user_id, secret_hash, user_agent, inserted_at, last_seen_at, expires_at from sessions'

/** Batch size for deleting expired sessions, so that sign-in stays fast. */
const EXPIRED_PER_BATCH = 1_000

/** Runs on every browser request. */
export async function findSession(db: Queryable, secretHash: string, now: string): Promise<SessionRow | null> {
  return (await db.sql.get<SessionRow>(`${SELECT} where secret_hash = ? and expires_at > ?`, [secretHash, now])) ?? null
}

/** Lists a user's sessions that have not expired, most recently seen first. */
export function listSessionsOf(db: Queryable, userId: Id, now: string): Promise<SessionRow[]> {
  return db.sql.all(`${SELECT} where user_id = ? and expires_at > ? order by last_seen_at desc, id desc`, [userId, now])
}

export async function insertSession(db: Queryable, row: SessionRow): Promise<void> {
  await db.kysely.insertInto('sessions').values(row).execute()
}

/** Updates a session unless it has expired. */
export async function updateLastSeen(
  db: Queryable,
  id: Id,
  { last_seen_at, expires_at }: Pick<SessionRow, 'last_seen_at' | 'expires_at'>,
): Promise<void> {
  const text = 'update sessions set last_seen_at = ?, expires_at = ? where id = ? and expires_at > ?'
  await db.sql.run(text, [last_seen_at, expires_at, id, last_seen_at])
}

/** Returns true if this user had such a session. */
export async function deleteSessionOf(db: Queryable, userId: Id, id: Id): Promise<boolean> {
  return (await db.sql.run('delete from sessions where id = ? and user_id = ?', [id, userId])).changes > 0
}

export async function deleteSessionByHash(db: Queryable, secretHash: string): Promise<void> {
  await db.sql.run('delete from sessions where secret_hash = ?', [secretHash])
}

/** Deletes all sessions of a user except the one with this hash. */
export async function deleteSessionsOf(db: Queryable, userId: Id, { except }: { except: string | null }): Promise<void> {
  await db.sql.run('delete from sessions where user_id = ? and secret_hash <> ?', [userId, except ?? ''])
}

/** Deletes all but the `keep` most recently seen sessions of a user. */
export async function deleteOldSessionsOf(db: Queryable, userId: Id, { keep }: { keep: number }): Promise<void> {
  const text = `delete from sessions where user_id = ? and id not in
    (select id from sessions where user_id = ? order by last_seen_at desc, id desc limit ?)`
  await db.sql.run(text, [userId, userId, keep])
}

export async function deleteExpiredSessions(db: Queryable, now: string): Promise<void> {
  const text = 'delete from sessions where id in (select id from sessions where expires_at <= ? order by expires_at limit ?)'
  await db.sql.run(text, [now, EXPIRED_PER_BATCH])
}
