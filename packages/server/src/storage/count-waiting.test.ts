import { expect, test } from 'vitest'
import { eachDatabase } from '../testing/databases.ts'
import { insertHead } from './changes.ts'
import { countWaiting, countWaitingOfUsers } from './count-waiting.ts'
import type { Database } from './database.ts'
import { loadDatasetNo } from './dataset-numbers.ts'

const NOW = '2026-01-05T10:11:12.131415'

/** A record: pending (`p`) or completed (`c`), and the status of the user's response to it, if any. */
type Row = `${'p' | 'c'}${'' | ' draft' | ' discarded' | ' submitted'}`
const many = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row)

/** The smallest set in a dataset decides how it is counted; each of these datasets is counted differently. */
const DATASETS: { id: string; min_submitted: number; rows: Row[]; waiting: number }[] = [
  { id: 'empty', min_submitted: 2, rows: [], waiting: 0 },
  { id: 'untouched', min_submitted: 2, rows: [...many(3, 'p'), 'c'], waiting: 3 },
  { id: 'done', min_submitted: 2, rows: ['c', 'c submitted', 'c draft'], waiting: 0 },
  {
    id: 'alone',
    min_submitted: 1,
    rows: ['p', 'p', 'p draft', 'p discarded', 'c draft', 'c', ...many(4, 'c submitted')],
    waiting: 2,
  },
  { id: 'few-responses', min_submitted: 2, rows: [...many(4, 'p'), ...many(4, 'c'), 'p submitted', 'c submitted'], waiting: 4 },
  { id: 'few-pending', min_submitted: 2, rows: ['p', 'p submitted', ...many(9, 'c submitted'), 'c'], waiting: 1 },
  { id: 'few-completed', min_submitted: 3, rows: [...many(6, 'p submitted'), ...many(3, 'p'), 'c submitted', 'c'], waiting: 3 },
]

async function addUsers(db: Database): Promise<void> {
  for (const id of ['me', 'other']) {
    const user = { id, username: id, first_name: id, last_name: null, role: 'annotator', password_hash: '' }
    const keys = { api_key_hash: id, api_key_encrypted: '', inserted_at: NOW, updated_at: NOW }
    await db.kysely
      .insertInto('users')
      .values({ ...user, ...keys })
      .execute()
  }
}

/** Adds another user's response to every record, which must not count. */
async function addRecords(db: Database, datasetId: string, rows: readonly Row[]): Promise<void> {
  await insertHead(db, datasetId, NOW)
  const datasetNo = await loadDatasetNo(db, datasetId)
  const nos = await db.sql.reserveNumbers('records', rows.length)
  const records = rows.map((row, i) => {
    const status = row.startsWith('p') ? 'pending' : 'completed'
    return [nos[i] ?? 0, `${datasetId}-${i}`, datasetNo, status, i, NOW, NOW]
  })
  const columns = ['no', 'id', 'dataset_no', 'status', 'shuffle', 'inserted_at', 'updated_at']
  await db.sql.insertAll('records', columns, records)
  const responses = rows.flatMap((row, i) => {
    const response = (userId: string, status: string) => {
      return [`${datasetId}-${i}-${userId}`, nos[i] ?? 0, datasetNo, userId, status, '{}', NOW, NOW]
    }
    const [, status] = row.split(' ')
    return [response('other', 'submitted'), ...(status === undefined ? [] : [response('me', status)])]
  })
  const given = ['id', 'record_no', 'dataset_no', 'user_id', 'status', 'values', 'inserted_at', 'updated_at']
  await db.sql.insertAll('responses', given, responses)
}

eachDatabase(db => {
  test('records wait that are not completed and that the user did not touch, of all datasets at once', async () => {
    await addUsers(db())
    for (const { id, rows } of DATASETS) await addRecords(db(), id, rows)
    const totals = DATASETS.map(({ id, min_submitted, rows }) => ({
      id,
      min_submitted,
      records_count: rows.length,
      completed_count: rows.filter(row => row.startsWith('c')).length,
      responses: rows.filter(row => row.includes(' ')).length,
    }))
    const expected = DATASETS.map(({ id, waiting }) => [id, waiting])
    expect([...(await countWaiting(db(), totals, 'me'))]).toEqual(expected)
    for (const one of totals) {
      expect([...(await countWaiting(db(), [one], 'me'))]).toEqual(expected.filter(([id]) => id === one.id))
    }
    expect(await countWaiting(db(), [], 'me')).toEqual(new Map())
    for (const { id, rows } of DATASETS) {
      const { responses: mine, ...dataset } = totals.find(one => one.id === id) as (typeof totals)[number]
      const counts = new Map(Object.entries({ me: mine, other: rows.length, nobody: 0 }))
      const alone = async (userId: string) => {
        const total = { ...dataset, responses: counts.get(userId) ?? 0 }
        return [userId, (await countWaiting(db(), [total], userId)).get(id)]
      }
      const each = Object.fromEntries(await Promise.all([...counts.keys()].map(alone)))
      expect(Object.fromEntries(await countWaitingOfUsers(db(), dataset, counts))).toEqual(each)
    }
  })
})
