/** All SQL of users, and of what goes with them when they are deleted. */
import { invalid, notFound, notUnique } from '@postil/domain/errors'
import { type Actor, canSeeApiKey } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { Role, User } from '@postil/domain/users'
import type { Selectable } from 'kysely'
import type { RequestContext } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
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
  'inserted_at',
  'updated_at',
] as const

const SELECT = `select ${COLUMNS.join(', ')} from users`

export const findActorByApiKeyHash = (db: Queryable, hash: string) => findActor(db, 'api_key_hash', hash)
export const findActorById = (db: Queryable, id: Id) => findActor(db, 'id', id)

/** Runs with every request: two prepared look-ups. */
async function findActor(db: Queryable, column: 'api_key_hash' | 'id', value: string): Promise<Actor | null> {
  const user = await db.sql.get<{ id: Id; username: string; role: Role }>(
    `select id, username, role from users where ${column} = ?`,
    [value],
  )
  if (!user) return null
  const rows = await db.sql.all<{ workspace_id: Id }>('select workspace_id from workspaces_users where user_id = ?', [user.id])
  return { ...user, workspace_ids: rows.map(row => row.workspace_id) }
}

/** Null when there is no such user. */
export async function findCredentialsVersion(db: Queryable, id: Id): Promise<number | null> {
  const row = await db.sql.get<{ credentials_version: number }>('select credentials_version from users where id = ?', [id])
  return row?.credentials_version ?? null
}

export async function findUserByUsername(db: Queryable, username: string): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT} where username = ?`, [username])) ?? null
}

export async function findUser(db: Queryable, id: Id): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT} where id = ?`, [id])) ?? null
}

export async function loadUser(db: Queryable, id: Id): Promise<UserRow> {
  const row = await findUser(db, id)
  if (!row) throw notFound('User', id)
  return row
}

/** The user, locked: what is read of them still holds when they are changed, or when a session of theirs begins. */
export async function findUserToChange(db: Queryable, id: Id): Promise<UserRow | null> {
  return (await db.sql.get<UserRow>(`${SELECT} where id = ?${db.dialect.forUpdate}`, [id])) ?? null
}

export async function loadUserToChange(db: Queryable, id: Id): Promise<UserRow> {
  const row = await findUserToChange(db, id)
  if (!row) throw notFound('User', id)
  return row
}

/** All users, oldest first. */
export function listUsers(db: Queryable): Promise<UserRow[]> {
  return db.sql.all(`${SELECT} order by inserted_at, id`)
}

/** Members of a workspace, in the order they joined. */
export function listUsersOf(db: Queryable, workspaceId: Id): Promise<UserRow[]> {
  const columns = COLUMNS.map(column => `u.${column}`).join(', ')
  const text = `select ${columns} from users u join workspaces_users m on m.user_id = u.id
    where m.workspace_id = ? order by m.inserted_at, u.id`
  return db.sql.all(text, [workspaceId])
}

export async function hasUsers(db: Queryable): Promise<boolean> {
  return (await db.sql.get('select id from users limit 1')) !== undefined
}

/** Which of these ids are users. However many are asked for, a statement holds no more than some thousand values. */
export async function listKnownUserIds(db: Queryable, ids: readonly Id[]): Promise<Set<Id>> {
  const known = new Set<Id>()
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const some = ids.slice(start, start + IDS_PER_QUERY)
    const rows = await db.kysely.selectFrom('users').select('id').where('id', 'in', some).execute()
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

/** Writes everything that may change of a user. */
export async function updateUserRow(db: Queryable, row: UserRow): Promise<void> {
  const { first_name, last_name, username, role, password_hash, credentials_version, updated_at } = row
  const changes = { first_name, last_name, username, role, password_hash, credentials_version, updated_at }
  try {
    await db.kysely.updateTable('users').set(changes).where('id', '=', row.id).execute()
  } catch (error) {
    if (db.dialect.isUniqueViolation(error)) throw usernameTaken(username)
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
  const text = `select id, api_key_hash, api_key_encrypted from users
    where id > ? and api_key_hash not like ? order by id limit ?${db.dialect.forUpdate}`
  return db.sql.all(text, [after, `${prefix}%`, limit])
}

export async function updateApiKeyHash(db: Queryable, id: Id, hash: string): Promise<void> {
  await db.sql.run('update users set api_key_hash = ? where id = ?', [hash, id])
}

/** Changing a user to a taken name is 422 where creating one is 409: existing clients know it so. */
export const usernameTaken = (username: string) => invalid(`Username \`${username}\` is taken`, ['username'])

/** Keeps the distribution of datasets from being changed in which a user gave responses: the status of their records depends on both. */
export async function lockDatasetsAnsweredBy(db: Queryable, userId: Id): Promise<void> {
  if (db.dialect.forShare === '') return
  const text = `select 1 from datasets where id in (select dataset_id from datasets_users where user_id = ?)
    order by id${db.dialect.forShare}`
  await db.sql.all(text, [userId])
}

/** Locks a user who is about to be deleted: responses, flags and comments of theirs that are being written are committed first. */
export async function lockUserToDelete(db: Queryable, id: Id): Promise<void> {
  await db.sql.get(`select 1 from users where id = ?${db.dialect.forDelete}`, [id])
}

/** Removes a user; memberships, responses and links to datasets go with them. */
export async function deleteUserRow(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('delete from users where id = ?', [id])
}

export interface AnsweredRecord {
  no: number
  dataset_id: Id
}

/** The completed records to which a user submitted a response: those that deleting the user may reopen. */
export function listRecordsCompletedWith(db: Queryable, userId: Id): Promise<AnsweredRecord[]> {
  // Only the records are locked, and in the order of their numbers, as those are who change responses.
  const text = `select no, dataset_id from records where status = 'completed'
    and no in (select record_no from responses where user_id = ? and status = 'submitted') order by no${db.dialect.forUpdate}`
  return db.sql.all(text, [userId])
}

/** The records of datasets that exist to which a user gave a response, a flag or a comment: all of it goes with the user. */
export function listRecordsTouchedBy(db: Queryable, userId: Id): Promise<AnsweredRecord[]> {
  const text = `with touched as (
      select record_no as no from responses where user_id = ?
      union select r.no from record_flags f join records r on r.id = f.record_id where f.user_id = ?
      union select r.no from record_comments c join records r on r.id = c.record_id where c.user_id = ?
    )
    select r.no, r.dataset_id from touched t join records r on r.no = t.no
    where exists (select 1 from datasets d where d.id = r.dataset_id)`
  return db.sql.all(text, [userId, userId, userId])
}

/** The user as the API shows it to the caller. */
export function toUser(ctx: Pick<RequestContext, 'actor' | 'apiKeys'>, row: UserRow): User {
  const { id, first_name, last_name, username, inserted_at, updated_at } = row
  const api_key = canSeeApiKey(ctx.actor, id) ? ctx.apiKeys.decrypt(row.api_key_encrypted) : null
  return { id, first_name, last_name, username, role: row.role as Role, api_key, inserted_at, updated_at }
}
