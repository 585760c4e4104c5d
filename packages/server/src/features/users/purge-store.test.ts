import { beforeAll, describe, expect, test } from 'vitest'
import { eachDatabase } from '../../testing/databases.ts'
import { countContributions, deleteTraces, listSomeTouched, lockTouched } from './purge-store.ts'
import { insertUser, type UserRow } from './store.ts'
import { addAnsweredDataset } from './testing/records.ts'

const TIME = '2026-01-05T10:11:12.131415'
const user = (name: string): UserRow => ({
  id: name,
  first_name: name,
  last_name: null,
  username: name,
  role: 'annotator',
  password_hash: '',
  credentials_version: 1,
  api_key_hash: name,
  api_key_encrypted: '',
  deactivated_at: null,
  inserted_at: TIME,
  updated_at: TIME,
})

const TABLES = ['responses', 'response_history', 'record_flags', 'record_comments']

describe('what a user leaves in records', () => {
  eachDatabase(db => {
    let nos: number[]
    beforeAll(async () => {
      for (const name of ['leaver', 'stayer']) await insertUser(db(), user(name))
      await db().kysely.insertInto('workspaces').values({ id: 'w', name: 'w', inserted_at: TIME, updated_at: TIME }).execute()
      const records = [{ submitted: ['leaver', 'stayer'] }, ...Array.from({ length: 4 }, () => ({ submitted: ['stayer'] }))]
      nos = await addAnsweredDataset(db(), { id: 'd', workspaceId: 'w', minSubmitted: 1, records })
      for (const user_id of ['leaver', 'stayer']) await addNotes(user_id)
    })

    /** Adds two versions for the second record, a flag for the third, two comments for the fourth, and nothing for the last. */
    async function addNotes(user_id: string): Promise<void> {
      const version = { record_no: nos[1] as number, user_id, response_id: 'r', replaced_at: TIME }
      for (const number of [1, 2]) {
        await db()
          .kysely.insertInto('response_history')
          .values({ ...version, version: number })
          .execute()
      }
      await db().kysely.insertInto('record_flags').values({ record_id: 'd-2', user_id, inserted_at: TIME }).execute()
      for (const number of [1, 2]) {
        const comment = { id: `${user_id}-${number}`, record_id: 'd-3', user_id, body: 'Why?', inserted_at: TIME }
        await db().kysely.insertInto('record_comments').values(comment).execute()
      }
    }

    const countRows = async (userId: string) => {
      const counts = TABLES.map(table =>
        db().sql.get<{ rows: number }>(`select count(*) as rows from ${table} where user_id = ?`, [userId]),
      )
      return (await Promise.all(counts)).map(count => count?.rows)
    }

    test.each([1, 2, 3, 4, 5])('is found in at most %i records, each once', async limit => {
      const found = await listSomeTouched(db(), 'leaver', limit)
      expect(found).toHaveLength(Math.min(4, limit))
      expect(nos.slice(0, 4)).toEqual(expect.arrayContaining(found))
      expect(new Set(found).size).toBe(found.length)
    })

    test('is counted, without what is in deleted datasets', async () => {
      expect(await countContributions(db(), 'leaver')).toEqual({ responses: 1, comments: 2, datasets: 1 })
      await addAnsweredDataset(db(), { id: 'gone', workspaceId: 'w', minSubmitted: 1, records: [{ submitted: ['leaver'] }] })
      await db().sql.run('delete from datasets where id = ?', ['gone'])
      expect(await countContributions(db(), 'leaver')).toEqual({ responses: 1, comments: 2, datasets: 1 })
      await db().sql.run("delete from responses where user_id = 'leaver' and record_no <> ?", [nos[0] ?? 0])
    })

    test('goes record by record, and what others left stays', async () => {
      const records = await lockTouched(db(), nos.slice(0, 4).reverse())
      expect(records.map(({ no }) => no)).toEqual(nos.slice(0, 4))
      const stayed = await countRows('stayer')
      await deleteTraces(db(), 'leaver', records.slice(1, 3))
      expect(await countRows('leaver')).toEqual([1, 0, 0, 2])
      await deleteTraces(db(), 'leaver', records)
      expect(await countRows('leaver')).toEqual([0, 0, 0, 0])
      expect(await listSomeTouched(db(), 'leaver', 10)).toEqual([])
      expect(await countRows('stayer')).toEqual(stayed)
    })
  })
})
