/** All SQL of accounts at providers. */
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import type { UserIdentitiesTable } from '../../storage/identity-tables.ts'

type IdentityRow = Selectable<UserIdentitiesTable>
type IdentityKey = Pick<IdentityRow, 'provider' | 'issuer' | 'subject'>

const BY_KEY = 'provider = ? and issuer = ? and subject = ?'
const keyOf = ({ provider, issuer, subject }: IdentityKey) => [provider, issuer, subject]

/** Batch size for deleting expired rows. */
const EXPIRED_PER_BATCH = 1_000

export async function findIdentityUserId(db: Queryable, identity: IdentityKey): Promise<Id | null> {
  const row = await db.sql.get<{ user_id: Id }>(`select user_id from user_identities where ${BY_KEY}`, keyOf(identity))
  return row?.user_id ?? null
}

/** On PostgreSQL, a concurrent insert of the same account makes the transaction run again. */
export async function insertIdentity(db: Queryable, row: IdentityRow): Promise<void> {
  await db.kysely.insertInto('user_identities').values(row).execute()
}

export async function touchIdentity(db: Queryable, identity: IdentityKey, now: string): Promise<void> {
  await db.sql.run(`update user_identities set last_used_at = ? where ${BY_KEY}`, [now, ...keyOf(identity)])
}

/** Returns false if any process has used the state before. */
export async function insertUsedSignIn(
  db: Queryable,
  stateHash: string,
  times: { now: string; expires_at: string },
): Promise<boolean> {
  const old = 'delete from used_sign_ins where state_hash in (select state_hash from used_sign_ins where expires_at <= ? limit ?)'
  await db.sql.run(old, [times.now, EXPIRED_PER_BATCH])
  const text = 'insert into used_sign_ins (state_hash, expires_at) values (?, ?) on conflict do nothing'
  return (await db.sql.run(text, [stateHash, times.expires_at])).changes > 0
}

/** True if there is another owner who can sign in. */
export async function hasOtherOwner(db: Queryable, userId: Id): Promise<boolean> {
  const text = `select 1 from users where role = 'owner' and deactivated_at is null and id <> ? limit 1`
  return (await db.sql.get(text, [userId])) !== undefined
}

export async function listWorkspaceIdsOf(db: Queryable, userId: Id): Promise<Id[]> {
  const rows = await db.sql.all<{ workspace_id: Id }>('select workspace_id from workspaces_users where user_id = ?', [userId])
  return rows.map(row => row.workspace_id)
}

export async function deleteMembershipsOf(db: Queryable, userId: Id, workspaceIds: readonly Id[]): Promise<void> {
  if (workspaceIds.length === 0) return
  await db.kysely
    .deleteFrom('workspaces_users')
    .where('user_id', '=', userId)
    .where('workspace_id', 'in', [...workspaceIds])
    .execute()
}
