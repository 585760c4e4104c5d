/** All SQL of flags and comments on records. */
import { notFound } from '@postil/domain/errors'
import type { RecordComment, RecordFlags } from '@postil/domain/notes'
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import { DATASET_NO } from '../../storage/dataset-numbers.ts'
import { IS_AUTHOR } from '../../storage/deleted-users.ts'

interface Flag {
  record_id: Id
  user_id: Id
}

/** Adds a flag. Returns false if it exists already. */
export async function insertFlag(db: Queryable, { record_id, user_id }: Flag, now: string): Promise<boolean> {
  const text = 'insert into record_flags (record_id, user_id, inserted_at) values (?, ?, ?) on conflict do nothing'
  return (await db.sql.run(text, [record_id, user_id, now])).changes > 0
}

/** Returns true if a flag was deleted. */
export async function deleteFlag(db: Queryable, { record_id, user_id }: Flag): Promise<boolean> {
  const text = 'delete from record_flags where record_id = ? and user_id = ?'
  return (await db.sql.run(text, [record_id, user_id])).changes > 0
}

const FLAGS_OF = `record_flags f join records r on r.id = f.record_id where f.user_id = ? and r.dataset_no = ${DATASET_NO}`

/** Lists the user's flags in a dataset, newest first. */
export function listFlags(db: Queryable, datasetId: Id, userId: Id, limit: number): Promise<RecordFlags['items']> {
  const text = `select f.record_id, f.inserted_at from ${FLAGS_OF} order by f.inserted_at desc, f.record_id limit ?`
  return db.sql.all(text, [userId, datasetId, limit])
}

export async function countFlags(db: Queryable, datasetId: Id, userId: Id): Promise<number> {
  const row = await db.sql.get<{ total: number }>(`select count(*) as total from ${FLAGS_OF}`, [userId, datasetId])
  return row?.total ?? 0
}

/** Returns those of the records that the user has flagged. */
export async function listFlaggedIds(db: Queryable, recordIds: readonly Id[], userId: Id): Promise<Set<Id>> {
  if (recordIds.length === 0) return new Set()
  const text = `select record_id from record_flags where record_id in (${marks(recordIds)}) and user_id = ?`
  const rows = await db.sql.all<{ record_id: Id }>(text, [...recordIds, userId])
  return new Set(rows.map(row => row.record_id))
}

/** Lists the users who flagged these records. */
export function listFlagsOf(db: Queryable, recordIds: readonly Id[]): Promise<Flag[]> {
  if (recordIds.length === 0) return Promise.resolve([])
  const text = `select record_id, user_id from record_flags where record_id in (${marks(recordIds)}) order by record_id, user_id`
  return db.sql.all(text, recordIds)
}

/** Counts the comments of each of these records; records without comments are absent. */
export async function countComments(db: Queryable, recordIds: readonly Id[]): Promise<Map<Id, number>> {
  if (recordIds.length === 0) return new Map()
  const text = `select record_id, count(*) as total from record_comments where record_id in (${marks(recordIds)}) group by record_id`
  const rows = await db.sql.all<{ record_id: Id; total: number }>(text, recordIds)
  return new Map(rows.map(row => [row.record_id, row.total]))
}

/** Lists the workspace of each of these records. Records without a dataset are omitted. */
export function listRecordWorkspaces(db: Queryable, recordIds: readonly Id[]): Promise<{ id: Id; workspace_id: Id }[]> {
  const text = `select r.id, d.workspace_id from records r join dataset_heads h on h.no = r.dataset_no join datasets d on d.id = h.dataset_id
    where r.id in (${marks(recordIds)})`
  return db.sql.all(text, recordIds)
}

const SELECT_COMMENTS = `select c.id, c.record_id, c.user_id, u.username, c.body, c.inserted_at
  from record_comments c join users u on u.id = c.user_id and ${IS_AUTHOR}`

/** Lists comments, oldest first. */
export function listComments(db: Queryable, recordId: Id, limit: number): Promise<RecordComment[]> {
  return db.sql.all(`${SELECT_COMMENTS} where c.record_id = ? order by c.inserted_at, c.id limit ?`, [recordId, limit])
}

export async function loadComment(db: Queryable, id: Id): Promise<RecordComment> {
  const row = await db.sql.get<RecordComment>(`${SELECT_COMMENTS} where c.id = ?`, [id])
  if (!row) throw notFound('Comment', id)
  return row
}

export async function insertComment(db: Queryable, { username: _username, ...row }: RecordComment): Promise<void> {
  await db.kysely.insertInto('record_comments').values(row).execute()
}

export async function deleteComment(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('delete from record_comments where id = ?', [id])
}
