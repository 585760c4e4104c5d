import { beforeAll, expect, test } from 'vitest'
import { insertHead } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { insertRecords } from '../records/store.ts'
import {
  hasVersionOfWrite,
  insertVersions,
  listRecordIdsOfJob,
  listVersions,
  listVersionsOfJob,
  type NewVersion,
} from './history-store.ts'
import { insertResponses, listRecentResponses } from './store.ts'

const DATASET = '01a1dfa4-4ccc-7000-9abf-000000000001'
const time = (number: number) => `2026-01-05T10:11:12.${String(number).padStart(6, '0')}`

async function addUser(db: Database, id: string): Promise<string> {
  const user = { id, username: id, first_name: '', last_name: null, role: 'annotator', password_hash: '' }
  const keys = { api_key_hash: id, api_key_encrypted: '', inserted_at: time(1), updated_at: time(1) }
  await db.kysely
    .insertInto('users')
    .values({ ...user, ...keys })
    .execute()
  return id
}

async function addRecords(db: Database, count: number): Promise<number[]> {
  const nos = await db.sql.reserveNumbers('records', count)
  const row = { dataset_id: DATASET, status: 'pending', shuffle: 0, fields: '{}', metadata: null }
  const times = { inserted_at: time(1), updated_at: time(1) }
  await insertRecords(
    db,
    nos.map(no => ({ no, id: `record-${no}`, external_id: `row-${no}`, ...row, ...times })),
  )
  return nos
}

function version(record_no: number, user_id: string, number: number, job_id: string | null = null): NewVersion {
  const times = { inserted_at: time(1), updated_at: time(number), replaced_at: time(number + 1) }
  const response = { response_id: `response-${record_no}`, status: 'submitted', values: '{}', write_id: `write-${number}` }
  return { record_no, user_id, ...response, ...times, job_id, earlier_write_ids: null }
}

eachDatabase(db => {
  beforeAll(() => insertHead(db(), DATASET, time(1)))

  test('fifty versions are kept of each record and user, newest first', async () => {
    const [one = 0, two = 0] = await addRecords(db(), 2)
    const [ann, ben] = [await addUser(db(), 'ann'), await addUser(db(), 'ben')]
    for (let number = 1; number <= 53; number++)
      await insertVersions(db(), [version(one, ann, number), version(two, ann, number)])
    await insertVersions(db(), [version(one, ben, 1)])

    const kept = await listVersions(db(), one, ann)
    expect(kept.map(row => row.version)).toEqual(Array.from({ length: 50 }, (_, i) => 53 - i))
    const { earlier_write_ids: _earlier, ...newest } = version(one, ann, 53)
    expect(kept[0]).toEqual({ ...newest, version: 53 })
    expect(await listVersions(db(), two, ann)).toHaveLength(50)
    expect(await listVersions(db(), one, ben)).toHaveLength(1)
    const known = [3, 4, 53, 54].map(number => hasVersionOfWrite(db(), one, ann, `write-${number}`))
    expect(await Promise.all(known)).toEqual([false, true, true, false])
    await insertVersions(db(), [{ ...version(one, ben, 2), earlier_write_ids: '["write-20","write-21"]' }])
    const earlier = ['write-20', 'write-21', 'write-2', 'write-22'].map(id => hasVersionOfWrite(db(), one, ben, id))
    expect(await Promise.all(earlier)).toEqual([true, true, true, false])
    await db().sql.run('delete from records where no = ?', [one])
    expect(await listVersions(db(), one, ann)).toEqual([])
  })

  test('what a job replaced is found by it, and whether it is the last', async () => {
    const [one = 0, two = 0, three = 0] = await addRecords(db(), 3)
    const user = await addUser(db(), 'cid')
    await insertVersions(db(), [version(one, user, 1, 'job'), version(two, user, 1, 'job'), version(three, user, 1, 'other')])
    await insertVersions(db(), [version(two, user, 2)])
    expect(await listRecordIdsOfJob(db(), 'job')).toEqual([`record-${one}`, `record-${two}`])
    const found = await listVersionsOfJob(db(), 'job', [one, two, three])
    expect(found.map(row => [row.record_no, row.is_last]).toSorted()).toEqual([
      [one, 1],
      [two, 0],
    ])
    await db().sql.run('delete from users where id = ?', [user])
    expect(await listRecordIdsOfJob(db(), 'job')).toEqual([])
  })

  test('a user’s last responses come newest first', async () => {
    const nos = await addRecords(db(), 4)
    const user = await addUser(db(), 'dan')
    const rows = nos.map((record_no, i) => ({
      id: `recent-${record_no}`,
      record_no,
      user_id: user,
      status: 'draft',
      values: '{}',
      inserted_at: time(1),
      updated_at: time(9 - i),
      write_id: null,
    }))
    await insertResponses(db(), DATASET, rows, { overwrite: false })
    const recent = await listRecentResponses(db(), DATASET, user, 3)
    expect(recent.map(row => row.external_id)).toEqual(nos.slice(0, 3).map(no => `row-${no}`))
    expect(recent[0]).toMatchObject({ record_id: `record-${nos[0]}`, response_id: `recent-${nos[0]}`, updated_at: time(9) })
  })
})
