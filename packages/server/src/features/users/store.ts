/** All SQL of users. */
import { notFound } from '@postil/domain/errors'
import type { Actor } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import type { Selectable } from 'kysely'
import type { Queryable } from '../../storage/database.ts'
import type { UsersTable } from '../../storage/tables.ts'

export type UserRow = Selectable<UsersTable>

const SELECT = `select id, first_name, last_name, username, role, password_hash, api_key_hash, api_key_encrypted, inserted_at, updated_at
  from users`

export const findActorByApiKeyHash = (db: Queryable, hash: string) => findActor(db, 'api_key_hash', hash)
export const findActorByUsername = (db: Queryable, username: string) => findActor(db, 'username', username)

/** Runs with every request: two prepared look-ups. */
async function findActor(db: Queryable, column: 'api_key_hash' | 'username', value: string): Promise<Actor | null> {
  const user = await db.sql.get<{ id: Id; username: string; role: Role }>(`select id, username, role from users where ${column} = ?`, [value])
  if (!user) return null
  const rows = await db.sql.all<{ workspace_id: Id }>('select workspace_id from workspaces_users where user_id = ?', [user.id])
  return { ...user, workspace_ids: rows.map(row => row.workspace_id) }
}

export async function findUserByUsername(db: Queryable, username: string): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT} where username = ?`, [username])) ?? null
}

export async function loadUser(db: Queryable, id: Id): Promise<UserRow> {
  const row = await db.sql.get<UserRow>(`${SELECT} where id = ?`, [id])
  if (!row) throw notFound('User', id)
  return row
}

export function listUsers(db: Queryable): Promise<UserRow[]> {
  return db.sql.all(`${SELECT} order by inserted_at, id`)
}

/** Which of these ids are users. */
export async function listKnownUserIds(db: Queryable, ids: readonly Id[]): Promise<Set<Id>> {
  if (ids.length === 0) return new Set()
  const rows = await db.kysely.selectFrom('users').select('id').where('id', 'in', [...ids]).execute()
  return new Set(rows.map(row => row.id))
}
