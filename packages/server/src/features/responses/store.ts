/** All SQL of responses. */
import { notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import { DATASET_NO, loadDatasetNo } from '../../storage/dataset-numbers.ts'
import { IS_AUTHOR } from '../../storage/deleted-users.ts'
import { among, type NumbersQuery } from '../../storage/record-pages.ts'

export interface ResponseRow {
  id: Id
  record_no: number
  user_id: Id
  status: string
  values: string
  inserted_at: string
  updated_at: string
  /** Idempotency key that the client sent with the last write. */
  write_id?: string | null
  /**
   * Idempotency keys of writes whose drafts were replaced by later drafts, as a JSON list; null if there are none. Such drafts
   * are not in the history.
   */
  earlier_write_ids?: string | null
}

const COLUMNS = [
  'id',
  'record_no',
  'user_id',
  'status',
  'values',
  'inserted_at',
  'updated_at',
  'write_id',
  'earlier_write_ids',
] as const
const SELECT = `select ${COLUMNS.map(column => `"${column}"`).join(', ')} from responses`

/** A record has one response per user: the newer one overwrites, but id and insertion time remain. */
const OVERWRITE = `on conflict (record_no, user_id) do update set status = excluded.status, "values" = excluded."values",
  updated_at = excluded.updated_at, write_id = excluded.write_id, earlier_write_ids = excluded.earlier_write_ids`

export async function insertResponses(
  db: Queryable,
  datasetId: Id,
  rows: readonly ResponseRow[],
  options: { overwrite: boolean },
): Promise<void> {
  if (rows.length === 0) return
  const datasetNo = await loadDatasetNo(db, datasetId)
  await db.sql.insertAll(
    'responses',
    ['dataset_no', ...COLUMNS],
    rows.map(row => [datasetNo, ...COLUMNS.map(column => row[column] ?? null)]),
    options.overwrite ? OVERWRITE : '',
  )
}

/** Lists responses of all users, or of one user. */
export async function listResponsesOf(
  db: Queryable,
  recordNos: readonly number[] | NumbersQuery,
  userId: Id | null,
): Promise<ResponseRow[]> {
  if ('length' in recordNos && recordNos.length === 0) return []
  const { text, params } = among('record_no', recordNos)
  const only = userId === null ? '' : 'and user_id = ?'
  return db.sql.all(`${SELECT} where ${text} ${only} order by inserted_at, id`, userId === null ? params : [...params, userId])
}

export interface OwnResponse {
  response: ResponseRow | null
  /** Number of other users who have submitted a response to the record. */
  othersSubmitted: number
}

/** Returns a user's response to a record. If the record is locked, the result is valid until the transaction ends. */
export async function findOwnResponse(db: Queryable, recordId: Id, userId: Id): Promise<OwnResponse> {
  const text = `select ${COLUMNS.map(column => `p."${column}"`).join(', ')}, (
      select count(*) from responses o where o.record_no = r.no and o.user_id <> ? and o.status = 'submitted'
    ) as others_submitted
    from records r left join responses p on p.record_no = r.no and p.user_id = ? where r.id = ?`
  type Row = { [Key in keyof ResponseRow]: ResponseRow[Key] | null } & { others_submitted: number }
  const row = await db.sql.get<Row>(text, [userId, userId, recordId])
  if (!row) return { response: null, othersSubmitted: 0 }
  const { others_submitted, ...response } = row
  return { response: response.id === null ? null : (response as ResponseRow), othersSubmitted: others_submitted }
}

export async function loadResponse(db: Queryable, id: Id): Promise<ResponseRow & { record_id: Id }> {
  const columns = COLUMNS.map(column => `p."${column}"`).join(', ')
  const text = `select ${columns}, r.id as record_id from responses p join records r on r.no = p.record_no where p.id = ?`
  const row = await db.sql.get<ResponseRow & { record_id: Id }>(text, [id])
  if (!row) throw notFound('Response', id)
  return row
}

export async function deleteResponses(db: Queryable, rows: readonly ResponseRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.sql.run(
    `delete from responses where id in (${marks(rows)})`,
    rows.map(row => row.id),
  )
}

/** Counts submitted responses per record; records without any are absent. */
export async function countSubmitted(db: Queryable, recordNos: readonly number[]): Promise<Map<number, number>> {
  if (recordNos.length === 0) return new Map()
  const text = `select record_no, count(*) as submitted from responses
    where record_no in (${marks(recordNos)}) and status = 'submitted' group by record_no`
  const rows = await db.sql.all<{ record_no: number; submitted: number }>(text, recordNos)
  return new Map(rows.map(row => [row.record_no, row.submitted]))
}

export interface RecentRow {
  record_id: Id
  external_id: string | null
  response_id: Id
  status: string
  values: string
  updated_at: string
}

/** Lists a user's latest responses in a dataset, read from the end of an index. */
export function listRecentResponses(db: Queryable, datasetId: Id, userId: Id, limit: number): Promise<RecentRow[]> {
  const text = `select r.id as record_id, r.external_id, p.id as response_id, p.status, p."values", p.updated_at
    from responses p join records r on r.no = p.record_no
    where p.dataset_no = ${DATASET_NO} and p.user_id = ? order by p.updated_at desc, p.id desc limit ?`
  return db.sql.all(text, [datasetId, userId, limit])
}

interface Author {
  id: Id
  username: string
  first_name: string
  last_name: string | null
}

/** Returns a user who ever responded in the dataset, or a pseudonym that has kept such responses. */
export async function findAuthorIn(db: Queryable, datasetId: Id, userId: Id): Promise<Author | null> {
  const text = `select u.id, u.username, u.first_name, u.last_name from datasets_users d join users u on u.id = d.user_id
    where d.dataset_id = ? and d.user_id = ? and ${IS_AUTHOR}`
  return (await db.sql.get<Author>(text, [datasetId, userId])) ?? null
}

/**
 * Stores who responded in a dataset, in the order of first responses. Entries remain as long as the user exists, so that former
 * members stay in the progress. These users are members or owners, or were when they responded.
 */
export async function insertDatasetUsers(db: Queryable, datasetId: Id, userIds: readonly Id[], now: string): Promise<void> {
  const key = `users of ${datasetId}`
  // The cache needs no invalidation: rows are only deleted with the user or the dataset, whose ids are never reused.
  const kept = (db.cache.get(key) as ReadonlySet<Id> | undefined) ?? new Set()
  const added = userIds.filter(userId => !kept.has(userId))
  if (added.length === 0) return
  const rows = added.map(userId => [datasetId, userId, now])
  const wereMembers = 'on conflict (dataset_id, user_id) do update set never_member = null where datasets_users.never_member = 1'
  await db.sql.insertAll('datasets_users', ['dataset_id', 'user_id', 'inserted_at'], rows, wereMembers)
  db.cache.set(key, new Set([...kept, ...added].slice(-USERS_KEPT_MAX)))
}

/** Like `insertDatasetUsers`, for responses that name their user, who need not be a member of the workspace. */
export async function insertNamedUsers(db: Queryable, datasetId: Id, userIds: readonly Id[], now: string): Promise<void> {
  const kept = (db.cache.get(`users of ${datasetId}`) as ReadonlySet<Id> | undefined) ?? new Set()
  const added = userIds.filter(userId => !kept.has(userId))
  if (added.length === 0) return
  const members = await listMembersAmong(db, datasetId, added)
  await insertDatasetUsers(
    db,
    datasetId,
    added.filter(userId => members.has(userId)),
    now,
  )
  const others = added.filter(userId => !members.has(userId)).map(userId => [datasetId, userId, now, 1])
  if (others.length === 0) return
  const columns = ['dataset_id', 'user_id', 'inserted_at', 'never_member']
  await db.sql.insertAll('datasets_users', columns, others, 'on conflict do nothing')
}

/** Users of a bulk per statement. */
const USERS_PER_QUERY = 1_000

/** Returns those of the users who are members of the dataset's workspace, or owners. */
async function listMembersAmong(db: Queryable, datasetId: Id, userIds: readonly Id[]): Promise<Set<Id>> {
  const members = new Set<Id>()
  for (let start = 0; start < userIds.length; start += USERS_PER_QUERY) {
    const some = userIds.slice(start, start + USERS_PER_QUERY)
    const text = `select u.id from users u where u.id in (${marks(some)}) and (u.role = 'owner' or exists (
      select 1 from workspaces_users m join datasets d on d.workspace_id = m.workspace_id where m.user_id = u.id and d.id = ?))`
    for (const id of await db.sql.column<Id>(text, [...some, datasetId])) members.add(id)
  }
  return members
}

/** Limit of cached users per dataset. */
const USERS_KEPT_MAX = 1_000
