/**
 * SQL of the overview: reads responses and the suggestions of their records in blocks.
 *
 * The database aggregates the values of a block into one JSON list, because parsing that is faster than receiving as many rows.
 */
import { notFound } from '@postil/domain/errors'
import type { Id, Json } from '@postil/domain/schema'
import { marks, type Param, type Queryable } from '../../storage/database.ts'
import { DATASET_NO } from '../../storage/dataset-numbers.ts'
import { IS_AUTHOR } from '../../storage/deleted-users.ts'

/** Records to read: a range of numbers, or a list. */
export type RecordSelection = { after: number; last: number } | { recordNos: readonly number[] }

function toWhere(wanted: RecordSelection): { where: string; params: Param[] } {
  if ('recordNos' in wanted) return { where: `p.record_no in (${marks(wanted.recordNos)})`, params: [...wanted.recordNos] }
  return { where: 'p.record_no > ? and p.record_no <= ?', params: [wanted.after, wanted.last] }
}

export interface ResponseBlock {
  recordNos: number[]
  userIds: Id[]
  statuses: string[]
  recordStatuses: string[]
  times: string[]
  values: { [question: string]: { value: Json } }[]
}

/** The plus keeps SQLite from using an index that would scan all responses of the dataset for every block. */
const OF_DATASET = '+p.dataset_no = ?'

const joined = (expression: string, name: string) => `string_agg(${expression}, ',') as ${name}`

/** Reads responses in the order of record numbers. The cross join makes SQLite go from responses to their records. */
export async function readResponses(db: Queryable, datasetNo: number, wanted: RecordSelection): Promise<ResponseBlock> {
  const { where, params } = toWhere(wanted)
  const text = `select ${joined('cast(record_no as text)', 'nos')}, ${joined('user_id', 'users')}, ${joined('status', 'statuses')},
      ${joined('record_status', 'record_statuses')}, ${joined('updated_at', 'times')}, ${joined('given', 'given')}
    from (select p.record_no, p.user_id, p.status, r.status as record_status, p.updated_at, p."values" as given
      from responses p cross join records r
      where r.no = p.record_no and ${OF_DATASET} and ${where} order by p.record_no, p.user_id) as found`
  const row = await db.sql.get<Record<string, string | null>>(text, [datasetNo, ...params])
  const list = (name: string) => row?.[name]?.split(',') ?? []
  return {
    recordNos: list('nos').map(Number),
    userIds: list('users'),
    statuses: list('statuses'),
    recordStatuses: list('record_statuses'),
    times: list('times'),
    values: JSON.parse(`[${row?.given ?? ''}]`),
  }
}

export interface SuggestionBlock {
  recordNos: number[]
  questionNos: number[]
  values: Json[]
  /** Lowest score, if there are several. */
  scores: (number | null)[]
  agents: (string | null)[]
}

/** Reads suggestions for records that have responses. */
export async function readSuggestions(db: Queryable, datasetNo: number, wanted: RecordSelection): Promise<SuggestionBlock> {
  const { where, params } = toWhere(wanted)
  const text = `select ${joined('cast(record_no as text)', 'nos')}, ${joined('cast(question_no as text)', 'questions')},
      ${joined('value', 'given')}, ${joined("coalesce(cast(score_min as text), 'null')", 'scores')},
      ${joined(`coalesce(cast(${db.dialect.toJson}(agent) as text), 'null')`, 'agents')}
    from (select s.record_no, s.question_no, s.value, s.score_min, s.agent from suggestions s
      where s.record_no in (select p.record_no from responses p where ${OF_DATASET} and ${where})) as found`
  const row = await db.sql.get<Record<string, string | null>>(text, [datasetNo, ...params])
  const parsed = (name: string) => JSON.parse(`[${row?.[name] ?? ''}]`)
  return {
    recordNos: parsed('nos'),
    questionNos: parsed('questions'),
    values: parsed('given'),
    scores: parsed('scores'),
    agents: parsed('agents'),
  }
}

/** Returns the first and the last record number of a dataset, or null if it has no records. */
export async function findRecordRange(db: Queryable, datasetNo: number): Promise<{ first: number; last: number } | null> {
  const at = async (order: 'asc' | 'desc') =>
    (await db.sql.get<{ no: number }>(`select no from records where dataset_no = ? order by no ${order} limit 1`, [datasetNo]))
      ?.no
  const [first, last] = [await at('asc'), await at('desc')]
  return first === undefined || last === undefined ? null : { first, last }
}

/** Returns the number of the record `count` positions after another one, or null at the end. */
export async function findRecordAfter(db: Queryable, datasetNo: number, after: number, count: number): Promise<number | null> {
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit 1 offset ?'
  return (await db.sql.get<{ no: number }>(text, [datasetNo, after, count - 1]))?.no ?? null
}

export interface Author {
  id: Id
  username: string
  first_name: string
  last_name: string | null
}

export function listAuthors(db: Queryable, ids: readonly Id[]): Promise<Author[]> {
  if (ids.length === 0) return Promise.resolve([])
  const text = `select u.id, u.username, u.first_name, u.last_name from users u where u.id in (${marks(ids)}) and ${IS_AUTHOR} order by u.id`
  return db.sql.all(text, ids)
}

/** Returns the number of a record of this dataset. */
export async function loadRecordNo(db: Queryable, datasetId: Id, recordId: Id): Promise<number> {
  const text = `select no from records where id = ? and dataset_no = ${DATASET_NO}`
  const row = await db.sql.get<{ no: number }>(text, [recordId, datasetId])
  if (!row) throw notFound('Record', recordId)
  return row.no
}

/** Returns ids and external ids in the order of the record numbers. */
export function listRecordNames(db: Queryable, recordNos: readonly number[]): Promise<{ id: Id; external_id: string | null }[]> {
  if (recordNos.length === 0) return Promise.resolve([])
  return db.sql.all(`select id, external_id from records where no in (${marks(recordNos)}) order by no`, recordNos)
}
