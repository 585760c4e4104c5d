import { describe, expect, test } from 'vitest'
import { eachDatabase } from '../../testing/databases.ts'
import { insertSession } from '../sessions/store.ts'
import {
  deleteUserRow,
  findActorByApiKeyHash,
  findActorById,
  findCredentialsVersion,
  findUser,
  findUserByUsername,
  hasUsers,
  hideUser,
  insertUser,
  listApiKeysWithOtherHash,
  listKnownUserIds,
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
  deactivated_at: null,
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
  })
})

describe('a user who is deleted, though their row is still needed', () => {
  eachDatabase(db => {
    const FINDS: { what: string; find: () => Promise<unknown>; none: unknown }[] = [
      { what: 'the API key', find: () => findActorByApiKeyHash(db(), 'hash-leaver'), none: null },
      { what: 'a token or a session', find: () => findActorById(db(), 'id-leaver'), none: null },
      { what: 'the version of the credentials', find: () => findCredentialsVersion(db(), 'id-leaver'), none: null },
      { what: 'the id', find: () => findUser(db(), 'id-leaver'), none: null },
      { what: 'the username', find: () => findUserByUsername(db(), 'leaver'), none: null },
      { what: 'the list of users', find: () => listUsers(db()), none: [] },
      { what: 'the members of a workspace', find: () => listUsersOf(db(), 'w'), none: [] },
      { what: 'whether there are users', find: () => hasUsers(db()), none: false },
      { what: 'the known ids', find: () => listKnownUserIds(db(), ['id-leaver']), none: new Set() },
      {
        what: 'keys to be hashed',
        find: () => listApiKeysWithOtherHash(db(), { prefix: 'new', after: '', limit: 9 }),
        none: [],
      },
    ]

    test('is not found by anything, and the name, the API key and the id of another user stay free', async () => {
      await insertUser(db(), row('leaver'))
      await db()
        .kysely.insertInto('workspaces')
        .values({ id: 'w', name: 'w', inserted_at: time(10), updated_at: time(10) })
        .execute()
      const member = { workspace_id: 'w', user_id: 'id-leaver', inserted_at: time(10) }
      await db().kysely.insertInto('workspaces_users').values(member).execute()
      const times = { inserted_at: time(10), last_seen_at: time(10), expires_at: time(50) }
      await insertSession(db(), { id: 's', user_id: 'id-leaver', secret_hash: 'secret', user_agent: null, ...times })
      await addAnsweredDataset(db(), { id: 'd', workspaceId: 'w', minSubmitted: 1, records: [{ submitted: ['id-leaver'] }] })
      for (const { what, find, none } of FINDS) expect({ what, found: await find() }).not.toEqual({ what, found: none })

      await hideUser(db(), 'id-leaver')
      for (const { what, find, none } of FINDS) expect({ what, found: await find() }).toEqual({ what, found: none })
      expect(await db().sql.column('select user_id from responses')).toEqual(['id-leaver'])
      for (const table of ['workspaces_users', 'datasets_users', 'sessions']) {
        expect(await db().sql.column(`select user_id from ${table}`)).toEqual([])
      }

      await insertUser(db(), { ...row('leaver'), id: 'id-next' })
      expect(await findUserByUsername(db(), 'leaver')).toMatchObject({ id: 'id-next' })
      expect(await findActorByApiKeyHash(db(), 'hash-leaver')).toMatchObject({ id: 'id-next' })
    })
  })
})
