/** All SQL of users, and of what goes with them when they are deleted. */
import { DomainError, invalid, notFound, notUnique } from '@postil/domain/errors'
import { type Actor, canManageUsers, canSeeApiKey } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Role, User } from '@postil/domain/users'
import type { Selectable } from 'kysely'
import type { RequestContext } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { DELETED, IS_AUTHOR, IS_USER, PSEUDONYM } from '../../storage/deleted-users.ts'
import type { UsersTable } from '../../storage/tables.ts'

export type UserRow = Selectable<UsersTable>

const COLUMNS = [
  'id',
  'first_name',
  'last_name',
  'username',
  'role',
  'password_hash',
  'credentials_version',
  'api_key_hash',
  'api_key_encrypted',
  'deactivated_at',
  'inserted_at',
  'updated_at',
] as const

const SELECT = `select ${COLUMNS.map(column => `u.${column}`).join(', ')} from users u`
const SELECT_USER = `${SELECT} where ${IS_USER}`

export const findActorByApiKeyHash = (db: Queryable, hash: string) => findActor(db, 'api_key_hash', hash)
export const findActorById = (db: Queryable, id: Id) => findActor(db, 'id', id)

/** Nobody acts as a deactivated user. Runs with every request: one statement, because on PostgreSQL each one is a round trip. */
async function findActor(db: Queryable, column: 'api_key_hash' | 'id', value: string): Promise<Actor | null> {
  const rows = await db.sql.all<{ id: Id; username: string; role: Role; workspace_id: Id | null }>(
    `select u.id, u.username, u.role, m.workspace_id from users u left join workspaces_users m on m.user_id = u.id
     where u.${column} = ? and u.deactivated_at is null and ${IS_USER}`,
    [value],
  )
  const [first] = rows
  if (!first) return null
  const { id, username, role } = first
  return { id, username, role, workspace_ids: rows.flatMap(({ workspace_id }) => workspace_id ?? []) }
}

/** Null when there is no such user. */
export async function findCredentialsVersion(db: Queryable, id: Id): Promise<number | null> {
  const text = `select credentials_version from users u where id = ? and ${IS_USER}`
  const row = await db.sql.get<{ credentials_version: number }>(text, [id])
  return row?.credentials_version ?? null
}

export async function findUserByUsername(db: Queryable, username: string): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT_USER} and username = ?`, [username])) ?? null
}

export async function findUser(db: Queryable, id: Id): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT_USER} and id = ?`, [id])) ?? null
}

export async function loadUser(db: Queryable, id: Id): Promise<UserRow> {
  const row = await findUser(db, id)
  if (!row) throw notFound('User', id)
  return row
}

/** The user, or the pseudonym that is left of them. */
export async function loadAuthor(db: Queryable, id: Id): Promise<UserRow> {
  const row = await db.sql.get<UserRow>(`${SELECT} where ${IS_AUTHOR} and id = ?`, [id])
  if (!row) throw notFound('User', id)
  return row
}

/** Ids of the owners who can sign in. Locked, so that not all of them are deactivated at the same time. */
export function lockActiveOwners(db: Queryable): Promise<Id[]> {
  const text = `select id from users where role = 'owner' and deactivated_at is null order by id${db.dialect.forUpdate}`
  return db.sql.column(text)
}

/** The user, locked: what is read of them still holds when they are changed, or when a session of theirs begins. */
export async function findUserToChange(db: Queryable, id: Id): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT_USER} and id = ?${db.dialect.forUpdate}`, [id])) ?? null
}

export async function loadUserToChange(db: Queryable, id: Id): Promise<UserRow> {
  const row = await findUserToChange(db, id)
  if (!row) throw notFound('User', id)
  return row
}

/** All users, oldest first. */
export function listUsers(db: Queryable): Promise<UserRow[]> {
  return db.sql.all(`${SELECT_USER} order by inserted_at, id`)
}

/** Members of a workspace, in the order they joined. */
export function listUsersOf(db: Queryable, workspaceId: Id): Promise<UserRow[]> {
  const text = `${SELECT} join workspaces_users m on m.user_id = u.id
    where m.workspace_id = ? and ${IS_USER} order by m.inserted_at, u.id`
  return db.sql.all(text, [workspaceId])
}

export async function hasUsers(db: Queryable): Promise<boolean> {
  return (await db.sql.get(`${SELECT_USER} limit 1`)) !== undefined
}

/** Which of these ids are users, or pseudonyms of deleted ones. However many are asked for, a statement holds no more than some thousand values. */
export async function listKnownUserIds(db: Queryable, ids: readonly Id[]): Promise<Set<Id>> {
  const known = new Set<Id>()
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const some = ids.slice(start, start + IDS_PER_QUERY)
    const rows = await db.kysely.selectFrom('users').select('id').where('id', 'in', some).where('role', '<>', DELETED).execute()
    for (const row of rows) known.add(row.id)
  }
  return known
}

const IDS_PER_QUERY = 1_000

export async function insertUser(db: Queryable, row: UserRow): Promise<void> {
  try {
    await db.kysely.insertInto('users').values(row).execute()
  } catch (error) {
    if (!db.dialect.isUniqueViolation(error)) throw error
    throw notUnique('A user with this username, id or API key already exists')
  }
}

/** Writes everything that may change of a user, but for the API key. */
export async function updateUserRow(db: Queryable, row: UserRow): Promise<void> {
  const { id: _id, inserted_at: _inserted, api_key_hash: _hash, api_key_encrypted: _key, ...changes } = row
  try {
    await db.kysely.updateTable('users').set(changes).where('id', '=', row.id).execute()
  } catch (error) {
    if (db.dialect.isUniqueViolation(error)) throw usernameTaken(row.username)
    throw error
  }
}

/** Replaces a user's API key: the old one is gone at once. */
export async function updateApiKey(
  db: Queryable,
  row: Pick<UserRow, 'id' | 'api_key_hash' | 'api_key_encrypted' | 'updated_at'>,
): Promise<void> {
  const { id, ...changes } = row
  await db.kysely.updateTable('users').set(changes).where('id', '=', id).execute()
}

export type StoredApiKey = Pick<UserRow, 'id' | 'api_key_hash' | 'api_key_encrypted'>

/** Keys whose hash does not begin so, in the order of user ids, after one of them. */
export function listApiKeysHashedOtherwise(
  db: Queryable,
  { prefix, after, limit }: { prefix: string; after: Id; limit: number },
): Promise<StoredApiKey[]> {
  const text = `select id, api_key_hash, api_key_encrypted from users u
    where id > ? and api_key_hash not like ? and ${IS_USER} order by id limit ?${db.dialect.forUpdate}`
  return db.sql.all(text, [after, `${prefix}%`, limit])
}

export async function updateApiKeyHash(db: Queryable, id: Id, hash: string): Promise<void> {
  await db.sql.run('update users set api_key_hash = ? where id = ?', [hash, id])
}

/** Changing a user to a taken name is 422 where creating one is 409: existing clients know it so. */
export const usernameTaken = (username: string) => invalid(`Username \`${username}\` is taken`, ['username'])

/** Locks a user who is about to be deleted: responses, flags and comments of theirs that are being written are committed first. */
export async function lockUserToDelete(db: Queryable, id: Id): Promise<void> {
  await db.sql.get(`select 1 from users where id = ?${db.dialect.forDelete}`, [id])
}

/** Removes a user; memberships, responses and links to datasets go with them. */
export async function deleteUserRow(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('delete from users where id = ?', [id])
}

/** What goes with a user at once, though the row stays: there is little of it. */
const TABLES_OF_USER = ['workspaces_users', 'datasets_users', 'sessions', 'bulk_jobs', 'user_identities']

/** Marks a user as deleted: no query finds them, and the name and the API key can be used again. The row stays for rows that refer to it. */
export async function hideUser(db: Queryable, id: Id): Promise<void> {
  const text = `update users set role = '${DELETED}', username = ?, api_key_hash = ?, api_key_encrypted = '', password_hash = '',
    first_name = '', last_name = null, credentials_version = credentials_version + 1 where id = ?`
  await db.sql.run(text, [`${DELETED} ${id}`, `${DELETED} ${id}`, id])
  for (const table of TABLES_OF_USER) await db.sql.run(`delete from ${table} where user_id = ?`, [id])
}

/** For those who have shown who they are: nobody else learns that an account is deactivated. */
export function checkIsActive({ deactivated_at }: UserRow): void {
  if (deactivated_at === null) return
  throw new DomainError('deactivated', 'This account is deactivated. Ask an owner of this server to reactivate it.')
}

/** The user as the API shows it to the caller. */
export function toUser(ctx: Pick<RequestContext, 'actor' | 'apiKeys'>, row: UserRow): User {
  const { id, first_name, last_name, username, inserted_at, updated_at } = row
  // A pseudonym has neither a key nor a role.
  if (row.role === PSEUDONYM)
    return { id, first_name, last_name, username, role: 'annotator', api_key: null, inserted_at, updated_at }
  const api_key = canSeeApiKey(ctx.actor, id) ? ctx.apiKeys.decrypt(row.api_key_encrypted) : null
  const deactivated = row.deactivated_at !== null && canManageUsers(ctx.actor) ? { deactivated_at: row.deactivated_at } : {}
  return { id, first_name, last_name, username, role: row.role as Role, api_key, ...deactivated, inserted_at, updated_at }
}
