import { beforeAll, expect, test } from 'vitest'
import { insertHead } from '../../storage/changes.ts'
import type { Param, Queryable, Sql } from '../../storage/database.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { countSubmitted, findOwnResponse, insertResponses } from '../responses/store.ts'
import { findSuggestion, insertSuggestions, listSuggestionsOf } from '../suggestions/store.ts'
import { listVectorsOf, putVectors } from '../vectors/store.ts'
import {
  countRecords,
  deleteRecords,
  findNewestTime,
  findRecordsPage,
  insertRecords,
  listRecordsByExternalIds,
  listRecordsByIds,
  listRecordsPage,
  listRecordsToChange,
  listRecordsToUpsert,
  loadRecord,
  loadRecordToChange,
  type RecordRow,
  updateRecords,
} from './store.ts'

const DATASET = '01a1dfa4-4ccc-7000-9abf-000000000001'
const USER = '01a1dfa4-4ccc-7000-9abf-000000000002'
const time = (second: number) => `2026-01-05T10:11:${String(second).padStart(2, '0')}.131415`

async function addRecords(db: Queryable, count: number): Promise<RecordRow[]> {
  const numbers = await db.sql.reserveNumbers('records', count)
  const rows = numbers.map((no, i) => ({
    no,
    id: `01a1dfa4-4ccc-7000-9abf-${String(no).padStart(12, '0')}`,
    dataset_id: DATASET,
    external_id: `row-${no}`,
    status: 'pending',
    shuffle: i % 64,
    fields: '{"text":"😀"}',
    metadata: null,
    inserted_at: time(i),
    updated_at: time(i),
  }))
  await insertRecords(db, rows)
  return rows
}

/** Collects SQLite's query plan of each statement. */
function explaining(db: Queryable) {
  const plans: string[] = []
  const explain = async (text: string, params: readonly Param[] = []) => {
    const rows = await db.sql.all<{ detail: string }>(`explain query plan ${text}`, params)
    plans.push(...rows.map(row => row.detail))
  }
  const sql: Sql = {
    ...db.sql,
    all: async (text, params) => {
      await explain(text, params)
      return db.sql.all(text, params)
    },
    column: async (text, params) => {
      await explain(text, params)
      return db.sql.column(text, params)
    },
  }
  return { plans, explained: { ...db, sql } }
}

eachDatabase(db => {
  beforeAll(() => insertHead(db(), DATASET, time(0)))

  test('records come back as they went in, in pages from either end', async () => {
    const rows = await addRecords(db(), 45)
    const page = async (offset: number, limit: number) =>
      listRecordsPage(db(), DATASET, await findRecordsPage(db(), DATASET, { offset, limit, total: 45 }))
    expect(await page(0, 10)).toEqual(rows.slice(0, 10))
    expect(await page(40, 10)).toEqual(rows.slice(40))
    expect(await page(45, 10)).toEqual([])
    expect(await findRecordsPage(db(), DATASET, { offset: 60, limit: 10, total: 45 })).toMatchObject({ limit: 0, skipped: 0 })
    expect(await listRecordsByExternalIds(db(), DATASET, [rows[3]?.external_id ?? '', 'other'])).toEqual([rows[3]])
    expect(await findNewestTime(db())).toBe(rows.at(-1)?.inserted_at)
    expect(await countRecords(db(), DATASET)).toEqual({ records: 45, completed: 0 })
    const changed = { ...(rows[0] as RecordRow), fields: '{"text":"new"}', updated_at: time(9) }
    await updateRecords(db(), [{ ...changed, status: 'completed' }])
    expect(await loadRecord(db(), changed.id)).toEqual(changed)
  })

  test('locked for a change come in the order of their numbers, each once', async () => {
    const [first, second, third] = (await addRecords(db(), 3)) as [RecordRow, RecordRow, RecordRow]
    const upserted = {
      ids: [second.id, first.id, 'none'],
      externalIds: [third.external_id ?? '', first.external_id ?? '', 'none'],
    }
    await db().transaction(async tx => {
      expect(await loadRecordToChange(tx, second.id)).toEqual(second)
      await expect(loadRecordToChange(tx, 'none')).rejects.toMatchObject({ code: 'not_found' })
      expect(await listRecordsToChange(tx, DATASET, [third.id, first.id, 'none'])).toEqual([first, third])
      expect(await listRecordsToUpsert(tx, DATASET, upserted)).toEqual([first, second, third])
      expect(await listRecordsToUpsert(tx, DATASET, { ids: [], externalIds: [second.external_id ?? ''] })).toEqual([second])
      expect(await listRecordsToUpsert(tx, DATASET, { ids: [], externalIds: [] })).toEqual([])
    })
  })

  test('many are found by id without walking the dataset', async () => {
    if (db().dialect.name === 'postgres') return
    const rows = await addRecords(db(), 500)
    const ids = rows.map(row => row.id)
    const { plans, explained } = explaining(db())
    expect(await listRecordsByIds(explained, DATASET, ids)).toEqual(rows)
    expect(await listRecordsToChange(explained, DATASET, ids)).toEqual(rows)
    expect(await listRecordsToUpsert(explained, DATASET, { ids, externalIds: [] })).toEqual(rows)
    const byRecord = plans.filter(detail => /^SEARCH (r|records) /.test(detail))
    expect(byRecord.length).toBeGreaterThanOrEqual(3)
    expect(byRecord.filter(detail => /dataset_no/.test(detail))).toEqual([])
  })

  test('a second suggestion or response overwrites and keeps id and first time; all goes with the record', async () => {
    const [row] = await addRecords(db(), 1)
    const no = row?.no ?? 0
    const user = { id: USER, username: 'u', first_name: '', last_name: null, role: 'annotator', password_hash: '' }
    const times = { inserted_at: time(1), updated_at: time(1) }
    await db()
      .kysely.insertInto('users')
      .values({ ...user, api_key_hash: 'h', api_key_encrypted: 'e', ...times })
      .execute()
    const suggestion = {
      record_no: no,
      question_no: 7,
      type: null,
      score: '0.5',
      score_min: 0.5,
      score_max: 0.5,
      agent: 'é',
      ...times,
    }
    await insertSuggestions(db(), [{ id: 's1', value: '"a"', ...suggestion }], { overwrite: false })
    await insertSuggestions(db(), [{ id: 's2', value: '"b"', ...suggestion, updated_at: time(2) }], { overwrite: true })
    expect(await findSuggestion(db(), no, 7)).toMatchObject({ id: 's1', value: '"b"', inserted_at: time(1), updated_at: time(2) })
    const response = { record_no: no, user_id: USER, values: '{}', ...times }
    await insertResponses(db(), DATASET, [{ id: 'p1', status: 'draft', ...response }], { overwrite: true })
    await insertResponses(db(), DATASET, [{ id: 'p2', status: 'submitted', ...response }], { overwrite: true })
    const own = await findOwnResponse(db(), row?.id ?? '', USER)
    expect(own).toMatchObject({ response: { id: 'p1', record_no: no, status: 'submitted' }, othersSubmitted: 0 })
    expect(await findOwnResponse(db(), row?.id ?? '', 'somebody else')).toEqual({ response: null, othersSubmitted: 1 })
    expect(await countSubmitted(db(), [no])).toEqual(new Map([[no, 1]]))
    await putVectors(db(), [{ record_no: no, vectors_settings_no: 3, value: [0.1, -2, 1e-300] }], { replace: false })
    await putVectors(db(), [{ record_no: no, vectors_settings_no: 3, value: [0.2, 1 / 3] }], { replace: true })
    expect(await listVectorsOf(db(), [no], [3])).toMatchObject([{ value: [0.2, 1 / 3] }])

    await deleteRecords(db(), [no])
    expect(await listSuggestionsOf(db(), [no])).toEqual([])
    expect(await findOwnResponse(db(), row?.id ?? '', USER)).toEqual({ response: null, othersSubmitted: 0 })
    expect(await listVectorsOf(db(), [no], [3])).toEqual([])
  })
})
