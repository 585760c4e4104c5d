/** All SQL of users, and of the data deleted with them. */
import { DomainError, invalid, notFound, notUnique } from '@postil/domain/errors'
import { type Actor, canManageUsers, canSeeApiKey } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Role, User } from '@postil/domain/users'
import type { Selectable } from 'kysely'
import type { RequestContext } from '../../context.ts'
import { hashSkeleton } from '../../lib/skeleton-hash.ts'
import { uncacheUser } from '../../storage/cached-users.ts'
import type { Queryable } from '../../storage/database.ts'
import { DELETED, IS_AUTHOR, IS_USER, PSEUDONYM } from '../../storage/deleted-users.ts'
import type { UsersTable } from '../../storage/tables.ts'

export type UserRow = Omit<Selectable<UsersTable>, 'username_skeleton'>

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

/**
 * Excludes deactivated users. Runs on every request with a single statement, because on PostgreSQL each statement is a round
 * trip.
 */
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

/** Null if there is no such user. */
export async function findCredentialsVersion(db: Queryable, id: Id): Promise<number | null> {
  const text = `select credentials_version from users u where id = ? and ${IS_USER}`
  const row = await db.sql.get<{ credentials_version: number }>(text, [id])
  return row?.credentials_version ?? null
}

/** New names are stored in NFC, but a keyboard may send another form. Names from before that are found as they were stored. */
export async function findUserByUsername(db: Queryable, username: string): Promise<UserRow | null> {
  const found = await db.sql.get<UserRow>(`${SELECT_USER} and username = ?`, [username])
  const composed = username.normalize('NFC')
  return found ?? (composed === username ? null : findUserByUsername(db, composed))
}

export async function findUser(db: Queryable, id: Id): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT_USER} and id = ?`, [id])) ?? null
}

export async function loadUser(db: Queryable, id: Id): Promise<UserRow> {
  const row = await findUser(db, id)
  if (!row) throw notFound('User', id)
  return row
}

/** Loads the user, or the pseudonym of a deleted user. */
export async function loadAuthor(db: Queryable, id: Id): Promise<UserRow> {
  const row = await db.sql.get<UserRow>(`${SELECT} where ${IS_AUTHOR} and id = ?`, [id])
  if (!row) throw notFound('User', id)
  return row
}

/** Returns the ids of active owners and locks them, so that they cannot all be deactivated concurrently. */
export function lockActiveOwners(db: Queryable): Promise<Id[]> {
  const text = `select id from users where role = 'owner' and deactivated_at is null order by id${db.dialect.forUpdate}`
  return db.sql.column(text)
}

/** Loads and locks the user, so that the data remains valid until the user is changed or a session is opened. */
export async function findUserToChange(db: Queryable, id: Id): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT_USER} and id = ?${db.dialect.forUpdate}`, [id])) ?? null
}

export async function loadUserToChange(db: Queryable, id: Id): Promise<UserRow> {
  const row = await findUserToChange(db, id)
  if (!row) throw notFound('User', id)
  return row
}

/** Lists all users, oldest first. */
export function listUsers(db: Queryable): Promise<UserRow[]> {
  return db.sql.all(`${SELECT_USER} order by inserted_at, id`)
}

/** Returns the names of users, and of pseudonyms of deleted users, by id. */
export async function listAuthorNames(db: Queryable): Promise<Map<Id, string>> {
  const rows = await db.sql.all<{ id: Id; username: string }>(`select id, username from users u where ${IS_AUTHOR}`)
  return new Map(rows.map(({ id, username }) => [id, username]))
}

/** Lists the members of a workspace in the order they joined. */
export function listUsersOf(db: Queryable, workspaceId: Id): Promise<UserRow[]> {
  const text = `${SELECT} join workspaces_users m on m.user_id = u.id
    where m.workspace_id = ? and ${IS_USER} order by m.inserted_at, u.id`
  return db.sql.all(text, [workspaceId])
}

export async function hasUsers(db: Queryable): Promise<boolean> {
  return (await db.sql.get(`${SELECT_USER} limit 1`)) !== undefined
}

/**
 * Returns those of the ids that are users or pseudonyms of deleted users. Split into several statements, because of the
 * database's limit of parameters.
 */
export async function listKnownUserIds(db: Queryable, ids: readonly Id[]): Promise<Set<Id>> {
  const known = new Set<Id>()
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const some = ids.slice(start, start + IDS_PER_QUERY)
    const rows = await db.kysely.selectFrom('users').select('id').where('id', 'in', some).where('role', '<>', DELETED).execute()
    for (const row of rows) known.add(row.id)
  }
  return known
}

/** Returns users who may have responses in datasets of a workspace (members and owners), by username. */
export async function listResponders(db: Queryable, workspaceId: Id): Promise<Map<string, Id>> {
  const rows = await db.sql.all<{ id: Id; username: string }>(
    `select u.id, u.username from users u where ${IS_USER} and (u.role = 'owner' or exists
       (select 1 from workspaces_users m where m.user_id = u.id and m.workspace_id = ?))`,
    [workspaceId],
  )
  return new Map(rows.map(({ username, id }) => [username, id]))
}

const IDS_PER_QUERY = 1_000

export async function insertUser(db: Queryable, row: UserRow): Promise<void> {
  try {
    await db.kysely.insertInto('users').values(withSkeleton(row)).execute()
  } catch (error) {
    if (!db.dialect.isUniqueViolation(error)) throw error
    throw notUnique('A user with this username, id or API key already exists')
  }
}

const withSkeleton = <Row extends Pick<UserRow, 'username'>>(row: Row) => ({
  ...row,
  username_skeleton: hashSkeleton(row.username),
})

/** Updates all columns of a user that can change, except the API key. */
export async function updateUserRow(db: Queryable, row: UserRow): Promise<void> {
  const { id: _id, inserted_at: _inserted, api_key_hash: _hash, api_key_encrypted: _key, ...changes } = row
  uncacheUser(db, row.id)
  try {
    await db.kysely.updateTable('users').set(withSkeleton(changes)).where('id', '=', row.id).execute()
  } catch (error) {
    if (db.dialect.isUniqueViolation(error)) throw usernameTaken(row.username)
    throw error
  }
}

/** Replaces a user's API key. The old one becomes invalid immediately. */
export async function updateApiKey(
  db: Queryable,
  row: Pick<UserRow, 'id' | 'api_key_hash' | 'api_key_encrypted' | 'updated_at'>,
): Promise<void> {
  const { id, ...changes } = row
  uncacheUser(db, id)
  await db.kysely.updateTable('users').set(changes).where('id', '=', id).execute()
}

export type StoredApiKey = Pick<UserRow, 'id' | 'api_key_hash' | 'api_key_encrypted'>

/** Lists keys whose hash does not start with the prefix, by user id, after one of them. */
export function listApiKeysWithOtherHash(
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

/** Changing a user to a taken name returns 422, but creating one returns 409, because existing clients expect it. */
export const usernameTaken = (username: string) => invalid(`Username \`${username}\` is taken`, ['username'])

/** Locks a user before deletion, so that concurrent writes of their responses, flags and comments are committed first. */
export async function lockUserToDelete(db: Queryable, id: Id): Promise<void> {
  await db.sql.get(`select 1 from users where id = ?${db.dialect.forDelete}`, [id])
}

/** Deletes a user; memberships, responses and links to datasets are deleted by cascade. */
export async function deleteUserRow(db: Queryable, id: Id): Promise<void> {
  uncacheUser(db, id)
  await db.sql.run('delete from users where id = ?', [id])
}

/** Small tables whose rows are deleted immediately, although the user's row remains. */
const TABLES_OF_USER = ['workspaces_users', 'datasets_users', 'sessions', 'bulk_jobs', 'user_identities']

/**
 * Marks a user as deleted: queries no longer find them, and the name and API key can be reused. The row remains for rows that
 * refer to it.
 */
export async function hideUser(db: Queryable, id: Id): Promise<void> {
  uncacheUser(db, id)
  const text = `update users set role = '${DELETED}', username = ?, username_skeleton = null, api_key_hash = ?, api_key_encrypted = '', password_hash = '',
    first_name = '', last_name = null, credentials_version = credentials_version + 1 where id = ?`
  await db.sql.run(text, [`${DELETED} ${id}`, `${DELETED} ${id}`, id])
  for (const table of TABLES_OF_USER) await db.sql.run(`delete from ${table} where user_id = ?`, [id])
  await deleteInvitationsOf(db, id)
}

/** Deletes the invitations that a user created, and the one they accepted, which may contain their name. */
export async function deleteInvitationsOf(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('delete from invitations where invited_by = ? or accepted_by = ?', [id, id])
}

/** Only call it after authentication, so that other callers cannot find out that an account is deactivated. */
export function checkIsActive({ deactivated_at }: UserRow): void {
  if (deactivated_at === null) return
  throw new DomainError('deactivated', 'This account is deactivated. Ask an owner of this server to reactivate it.')
}

/** Converts to the API representation visible to the caller. */
export function toUser(ctx: Pick<RequestContext, 'actor' | 'apiKeys'>, row: UserRow): User {
  const { id, first_name, last_name, username, inserted_at, updated_at } = row
  // A pseudonym has neither an API key nor a role.
  if (row.role === PSEUDONYM)
    return { id, first_name, last_name, username, role: 'annotator', api_key: null, inserted_at, updated_at }
  const api_key = canSeeApiKey(ctx.actor, id) ? ctx.apiKeys.decrypt(row.api_key_encrypted) : null
  const deactivated = row.deactivated_at !== null && canManageUsers(ctx.actor) ? { deactivated_at: row.deactivated_at } : {}
  return { id, first_name, last_name, username, role: row.role as Role, api_key, ...deactivated, inserted_at, updated_at }
}
