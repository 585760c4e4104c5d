/**
 * The revision that moves fields to their own table and numbers datasets: records and responses survive the upgrade and the
 * downgrade.
 */
import { describe, expect, test } from 'vitest'
import { deleteRecords, findRecordsPage, insertRecords, listRecordsPage } from '../features/records/store.ts'
import { listResponsesOf } from '../features/responses/store.ts'
import { eachDatabase } from '../testing/databases.ts'
import { deleteHead } from './changes.ts'
import type { Queryable } from './database.ts'
import { migrate } from './migrate.ts'

/** More than other unit tests have: most migrations run down, up and down again. */
const MANY_STEPS_MS = 60_000

const TIME = '2026-01-05T10:11:12.131415'
const now = () => TIME
const times = { inserted_at: TIME, updated_at: TIME }
const BEFORE = '0010'

const record = (no: number, dataset_id: string, rest: object = {}) => ({
  no,
  id: `r${no}`,
  dataset_id,
  external_id: null as string | null,
  status: 'pending',
  shuffle: no % 64,
  fields: `{"text":"text ${no}"}`,
  metadata: null as string | null,
  ...times,
  ...rest,
})

/** Only the records of dataset `gone` are left: it was deleted, and the job that removes its records has not run. */
const RECORDS = [
  record(1, 'one', { external_id: 'x', metadata: '{"a":1}', status: 'completed' }),
  record(2, 'two', { external_id: 'x', fields: JSON.stringify({ text: 'long '.repeat(2_000) }) }),
  record(3, 'gone'),
  record(5, 'one'),
  record(6, 'one'),
]
const response = (record_no: number, dataset_id: string) => ({
  id: `p${record_no}`,
  record_no,
  dataset_id,
  user_id: 'ann',
  status: 'submitted',
  values: '{"mood":{"value":"happy"}}',
  write_id: 'w',
  earlier_write_ids: null,
  ...times,
})
const RESPONSES = [response(1, 'one'), response(2, 'two'), response(3, 'gone')]

async function insert(db: Queryable, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  await db.sql.insertAll(
    table,
    columns,
    rows.map(row => Object.values(row)),
  )
}

async function fill(db: Queryable): Promise<void> {
  const user = { id: 'ann', username: 'ann', first_name: '', last_name: null, role: 'annotator', password_hash: '' }
  await insert(db, 'users', [{ ...user, api_key_hash: 'h', api_key_encrypted: 'e', ...times }])
  const head = { change_no: 4, records_count: 2, completed_count: 1, last_activity_at: TIME }
  await insert(db, 'dataset_heads', [
    { dataset_id: 'one', ...head },
    { dataset_id: 'two', ...head },
  ])
  await insert(db, 'records', RECORDS)
  await insert(db, 'responses', RESPONSES)
  await insert(db, 'record_flags', [{ record_id: 'r1', user_id: 'ann', inserted_at: TIME }])
  const suggestion = { question_no: 1, type: null, value: '"a"', score: null, agent: 'b' }
  await insert(db, 'suggestions', [{ id: 's', record_no: 1, ...suggestion, ...times }])
  // The highest number must not be reused.
  await db.sql.run('delete from records where no = 6')
}

const KEPT = RECORDS.filter(({ no }) => no !== 6)
const listOf = (db: Queryable, table: string, key: string) => db.sql.all(`select * from ${table} order by ${key}`)

async function empty(db: Queryable): Promise<void> {
  for (const table of ['records', 'responses', 'dataset_heads', 'users']) await db.sql.run(`delete from ${table}`)
}

describe('narrow rows', () => {
  eachDatabase(db => {
    test('hold what was there, and the way back restores it', { timeout: MANY_STEPS_MS }, async () => {
      await migrate(db(), BEFORE, now)
      await fill(db())
      const told: string[] = []
      await migrate(db(), 'head', now, line => void told.push(line))
      expect(told.map(line => line.trim())).toEqual(expect.arrayContaining(['records', 'responses']))

      const page = async (id: string) =>
        listRecordsPage(db(), id, await findRecordsPage(db(), id, { offset: 0, limit: 10, total: 10 }))
      for (const id of ['one', 'two', 'gone']) expect(await page(id)).toEqual(KEPT.filter(row => row.dataset_id === id))
      const stored = RESPONSES.map(({ dataset_id: _id, ...row }) => row)
      expect(await listResponsesOf(db(), [1, 2, 3], null)).toEqual(stored)
      expect(await listOf(db(), 'record_flags', 'record_id')).toHaveLength(1)
      expect(await listOf(db(), 'suggestions', 'id')).toHaveLength(1)

      await migrate(db(), BEFORE, now)
      expect(await listOf(db(), 'records', 'no')).toEqual(KEPT)
      expect(await listOf(db(), 'responses', 'record_no')).toEqual(RESPONSES)
      expect(await listOf(db(), 'record_flags', 'record_id')).toHaveLength(1)
      await empty(db())
      await migrate(db(), 'head', now)
    })

    test('refer to each other as before: what hangs on a record goes with it', async () => {
      await migrate(db(), BEFORE, now)
      await fill(db())
      await migrate(db(), 'head', now)
      await deleteRecords(db(), [1])
      for (const table of ['record_flags', 'suggestions']) expect(await listOf(db(), table, '1')).toEqual([])
      expect(await db().sql.column('select record_no from record_fields order by record_no')).toEqual([2, 3, 5])
      expect(await db().sql.column('select record_no from responses order by record_no')).toEqual([2, 3])
      await db().sql.run("delete from users where id = 'ann'")
      expect(await listOf(db(), 'responses', 'record_no')).toEqual([])
      await empty(db())
    })

    test('give out higher numbers than before, and refuse an external id that is taken', async () => {
      await migrate(db(), BEFORE, now)
      await fill(db())
      await migrate(db(), 'head', now)
      if (db().dialect.name === 'sqlite') expect(await db().sql.reserveNumbers('records', 1)).toEqual([7])
      await insertRecords(db(), [record(20, 'one', { external_id: 'y' })])
      const taken = insertRecords(db(), [record(21, 'one', { external_id: 'y' })])
      await expect(taken).rejects.toSatisfy(error => db().dialect.isUniqueViolation(error))
      await empty(db())
    })

    test('keep the number of a deleted dataset while it has records', async () => {
      await migrate(db(), BEFORE, now)
      await fill(db())
      await migrate(db(), 'head', now)
      const heads = () => db().sql.column("select dataset_id from dataset_heads where dataset_id = 'gone'")
      await deleteHead(db(), 'gone')
      expect(await heads()).toEqual(['gone'])
      await deleteRecords(db(), [3])
      await deleteHead(db(), 'gone')
      expect(await heads()).toEqual([])
      await empty(db())
    })
  })
})
