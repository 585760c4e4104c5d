import { describe, expect, test } from 'vitest'
import { eachDatabase } from '../../testing/databases.ts'
import {
  deleteUserRow,
  findUser,
  findUserByUsername,
  hasUsers,
  insertUser,
  listRecordsCompletedWith,
  listRecordsTouchedBy,
  listUsers,
  listUsersOf,
  type UserRow,
  updateUserRow,
} from './store.ts'
import { addAnsweredDataset } from './testing/records.ts'

const time = (second: number) => `2026-01-05T10:11:${second}.131415`

const row = (name: string, second = 10): UserRow => ({
  id: `id-${name}`,
  first_name: name,
  last_name: null,
  username: name,
  role: 'annotator',
  password_hash: 'hash',
  credentials_version: 1,
  api_key_hash: `hash-${name}`,
  api_key_encrypted: 'sealed',
  inserted_at: time(second),
  updated_at: time(second),
})

describe('users', () => {
  eachDatabase(db => {
    test('are listed oldest first, whoever was stored first', async () => {
      expect(await hasUsers(db())).toBe(false)
      await insertUser(db(), row('younger', 30))
      await insertUser(db(), row('older', 20))
      expect((await listUsers(db())).map(user => user.username)).toEqual(['older', 'younger'])
      expect(await hasUsers(db())).toBe(true)
    })

    test('are found by the exact username', async () => {
      await insertUser(db(), row('Lena'))
      expect(await findUserByUsername(db(), 'Lena')).toEqual(row('Lena'))
      expect(await findUserByUsername(db(), 'lena')).toBeNull()
    })

    test.each([
      { taken: 'username', other: { username: 'first' } },
      { taken: 'id', other: { id: 'id-first' } },
      { taken: 'API key', other: { api_key_hash: 'hash-first' } },
    ])('cannot be created with a taken $taken', async ({ other }) => {
      if (!(await findUser(db(), 'id-first'))) await insertUser(db(), row('first'))
      await expect(insertUser(db(), { ...row('second'), ...other })).rejects.toMatchObject({ code: 'not_unique' })
    })

    test('cannot be given a taken username', async () => {
      await insertUser(db(), row('ann'))
      await insertUser(db(), row('bob'))
      await expect(updateUserRow(db(), { ...row('bob'), username: 'ann' })).rejects.toMatchObject({ code: 'unprocessable' })
    })

    test('of a workspace are listed in the order they joined', async () => {
      await db()
        .kysely.insertInto('workspaces')
        .values({ id: 'w', name: 'w', inserted_at: time(10), updated_at: time(10) })
        .execute()
      for (const [name, second] of [
        ['carl', 30],
        ['dora', 20],
        ['emil', 25],
      ] as const) {
        await insertUser(db(), row(name))
        await db()
          .kysely.insertInto('workspaces_users')
          .values({ workspace_id: 'w', user_id: `id-${name}`, inserted_at: time(second) })
          .execute()
      }
      expect((await listUsersOf(db(), 'w')).map(user => user.username)).toEqual(['dora', 'emil', 'carl'])
    })
  })
})

describe('deleting a user', () => {
  eachDatabase(db => {
    test('takes memberships, responses and links to datasets along, and nobody else’s', async () => {
      for (const name of ['leaver', 'stayer']) await insertUser(db(), row(name))
      await db()
        .kysely.insertInto('workspaces')
        .values({ id: 'w', name: 'w', inserted_at: time(10), updated_at: time(10) })
        .execute()
      const memberships = ['id-leaver', 'id-stayer'].map(user_id => ({ workspace_id: 'w', user_id, inserted_at: time(10) }))
      await db().kysely.insertInto('workspaces_users').values(memberships).execute()
      const records = [{ submitted: ['id-leaver', 'id-stayer'] }, { submitted: ['id-stayer'], drafts: ['id-leaver'] }]
      await addAnsweredDataset(db(), { id: 'd', workspaceId: 'w', minSubmitted: 1, records })

      await deleteUserRow(db(), 'id-leaver')
      expect(await findUser(db(), 'id-leaver')).toBeNull()
      const counts = { workspaces_users: 1, responses: 2, datasets_users: 1 }
      for (const [table, count] of Object.entries(counts)) {
        const rows = await db().sql.all<{ user_id: string }>(`select user_id from ${table}`)
        expect({ [table]: rows }).toEqual({ [table]: Array.from({ length: count }, () => ({ user_id: 'id-stayer' })) })
      }
    })

    test('may reopen the completed records to which they submitted a response, and no others', async () => {
      await insertUser(db(), row('author'))
      await insertUser(db(), row('other'))
      const [mine, ours] = await addAnsweredDataset(db(), {
        id: 'e',
        workspaceId: 'w',
        minSubmitted: 1,
        records: [
          { submitted: ['id-author'] },
          { submitted: ['id-other', 'id-author'] },
          { submitted: ['id-other'], drafts: ['id-author'] },
          { submitted: [], drafts: ['id-author'] },
        ],
      })
      expect(await listRecordsCompletedWith(db(), 'id-author')).toEqual([
        { no: mine, dataset_id: 'e' },
        { no: ours, dataset_id: 'e' },
      ])
    })

    test('leave traces in records that they answered, flagged or commented on, each once', async () => {
      await insertUser(db(), row('tracer'))
      const byOther = { submitted: ['id-stayer'] }
      const records = [{ submitted: ['id-tracer'] }, { submitted: [], drafts: ['id-tracer'] }, byOther, byOther, byOther]
      const nos = await addAnsweredDataset(db(), { id: 'f', workspaceId: 'w', minSubmitted: 1, records })
      await addAnsweredDataset(db(), { id: 'g', workspaceId: 'w', minSubmitted: 1, records: records.slice(0, 1) })
      await db().sql.run("delete from datasets where id = 'g'")
      const given = { user_id: 'id-tracer', inserted_at: '2026-01-05T10:11:12.131415' }
      for (const record_id of ['f-0', 'f-2']) {
        await db()
          .kysely.insertInto('record_flags')
          .values({ ...given, record_id })
          .execute()
      }
      await db()
        .kysely.insertInto('record_comments')
        .values({ ...given, id: 'c', record_id: 'f-3', body: 'Why?' })
        .execute()
      const found = await listRecordsTouchedBy(db(), 'id-tracer')
      expect(found.map(({ no }) => no).toSorted((a, b) => a - b)).toEqual(nos.slice(0, 4))
      expect(new Set(found.map(({ dataset_id }) => dataset_id))).toEqual(new Set(['f']))
    })
  })
})
