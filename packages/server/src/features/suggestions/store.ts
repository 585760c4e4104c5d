/** All SQL of suggestions. */
import { notFound } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { among, type NumbersQuery } from '../../storage/record-pages.ts'

export interface SuggestionRow {
  id: Id
  record_no: number
  question_no: number
  type: string | null
  value: string
  score: string | null
  score_min: number | null
  score_max: number | null
  agent: string | null
  inserted_at: string
  updated_at: string
}

const COLUMNS = [
  'id',
  'record_no',
  'question_no',
  'type',
  'value',
  'score',
  'score_min',
  'score_max',
  'agent',
  'inserted_at',
  'updated_at',
] as const
const SELECT = `select ${COLUMNS.join(', ')} from suggestions`

/** A record has one suggestion per question: the newer one overwrites, but id and insertion time remain. */
const OVERWRITE = `on conflict (record_no, question_no) do update set type = excluded.type, value = excluded.value,
  score = excluded.score, score_min = excluded.score_min, score_max = excluded.score_max, agent = excluded.agent,
  updated_at = excluded.updated_at`

export function insertSuggestions(db: Queryable, rows: readonly SuggestionRow[], options: { overwrite: boolean }): Promise<void> {
  return db.sql.insertAll(
    'suggestions',
    COLUMNS,
    rows.map(row => COLUMNS.map(column => row[column])),
    options.overwrite ? OVERWRITE : '',
  )
}

export async function listSuggestionsOf(db: Queryable, recordNos: readonly number[] | NumbersQuery): Promise<SuggestionRow[]> {
  if ('length' in recordNos && recordNos.length === 0) return []
  const { text, params } = among('record_no', recordNos)
  return db.sql.all(`${SELECT} where ${text} order by inserted_at, id`, params)
}

export async function findSuggestion(db: Queryable, recordNo: number, questionNo: number): Promise<SuggestionRow | null> {
  return (await db.sql.get<SuggestionRow>(`${SELECT} where record_no = ? and question_no = ?`, [recordNo, questionNo])) ?? null
}

export async function loadSuggestion(db: Queryable, id: Id): Promise<SuggestionRow & { record_id: Id }> {
  const columns = COLUMNS.map(column => `s.${column}`).join(', ')
  const text = `select ${columns}, r.id as record_id from suggestions s join records r on r.no = s.record_no where s.id = ?`
  const row = await db.sql.get<SuggestionRow & { record_id: Id }>(text, [id])
  if (!row) throw notFound('Suggestion', id)
  return row
}

export async function deleteSuggestions(db: Queryable, rows: readonly SuggestionRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.sql.runEach(
    'delete from suggestions where record_no = ? and question_no = ?',
    rows.map(row => [row.record_no, row.question_no]),
  )
}
