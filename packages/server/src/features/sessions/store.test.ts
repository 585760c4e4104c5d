import { expect, test } from 'vitest'
import { eachDatabase } from '../../testing/databases.ts'
import { insertUser } from '../users/store.ts'
import * as store from './store.ts'

const time = (second: number) => `2026-01-05T10:11:${second}.131415`
const at = time(30)

const user = (id: string) => ({
  id,
  first_name: id,
  last_name: null,
  username: id,
  role: 'annotator',
  password_hash: 'hash',
  credentials_version: 1,
  api_key_hash: `hash-${id}`,
  api_key_encrypted: 'sealed',
  deactivated_at: null,
  inserted_at: at,
  updated_at: at,
})

const session = (id: string, userId: string, seen: number, changes: Partial<store.SessionRow> = {}): store.SessionRow => ({
  id,
  user_id: userId,
  secret_hash: `hash-${id}`,
  user_agent: null,
  inserted_at: time(10),
  last_seen_at: time(seen),
  expires_at: time(50),
  ...changes,
})

eachDatabase(db => {
  const add = async (userId: string, ...rows: store.SessionRow[]) => {
    await insertUser(db(), user(userId))
    for (const row of rows) await store.insertSession(db(), row)
  }
  const idsOf = async (userId: string, now = at) => (await store.listSessionsOf(db(), userId, now)).map(({ id }) => id)

  test('a session is found by its hash until it expires', async () => {
    const row = session('found', 'finder', 20, { user_agent: 'A browser' })
    await add('finder', row)
    expect(await store.findSession(db(), 'hash-found', time(49))).toEqual(row)
    expect(await store.findSession(db(), 'hash-found', time(50))).toBeNull()
    expect(await store.findSession(db(), 'hash-other', at)).toBeNull()
  })

  test('sessions are listed last seen first, without those that expired', async () => {
    await add(
      'lister',
      session('old', 'lister', 21),
      session('new', 'lister', 23),
      session('gone', 'lister', 22, { expires_at: time(25) }),
    )
    expect(await idsOf('lister')).toEqual(['new', 'old'])
  })

  test('a session that is used lasts longer, unless it expired', async () => {
    await add('user', session('used', 'user', 20), session('late', 'user', 20, { expires_at: time(25) }))
    for (const id of ['used', 'late']) await store.updateLastSeen(db(), id, { last_seen_at: at, expires_at: time(59) })
    expect(await store.listSessionsOf(db(), 'user', time(11))).toMatchObject([
      { id: 'used', last_seen_at: at, expires_at: time(59) },
      { id: 'late', last_seen_at: time(20), expires_at: time(25) },
    ])
  })

  test('sessions are deleted by id for their user only', async () => {
    await add('deleter', session('mine', 'deleter', 20))
    expect(await store.deleteSessionOf(db(), 'somebody', 'mine')).toBe(false)
    expect(await store.deleteSessionOf(db(), 'deleter', 'mine')).toBe(true)
    expect(await store.deleteSessionOf(db(), 'deleter', 'mine')).toBe(false)
  })

  test('all sessions of a user are deleted, but one if it is named', async () => {
    const rows = ['a', 'b', 'c'].map(id => session(id, 'many', 20))
    await add('many', ...rows)
    await store.deleteSessionByHash(db(), 'hash-c')
    await store.deleteSessionsOf(db(), 'many', { except: 'hash-b' })
    expect(await idsOf('many')).toEqual(['b'])
    await store.deleteSessionsOf(db(), 'many', { except: null })
    expect(await idsOf('many')).toEqual([])
  })

  test('of too many sessions those seen last are kept, and others keep theirs', async () => {
    await add('crowd', ...[21, 24, 22, 23].map(second => session(`s${second}`, 'crowd', second)))
    await add('neighbour', session('s11', 'neighbour', 11))
    await store.deleteOldSessionsOf(db(), 'crowd', { keep: 2 })
    expect([await idsOf('crowd'), await idsOf('neighbour')]).toEqual([['s24', 's23'], ['s11']])
  })

  test('expired sessions are deleted', async () => {
    await add(
      'tidy',
      session('dead', 'tidy', 20, { expires_at: time(40) }),
      session('alive', 'tidy', 20, { expires_at: time(41) }),
    )
    await store.deleteExpiredSessions(db(), time(40))
    expect(await idsOf('tidy', time(11))).toEqual(['alive'])
  })

  test('sessions go with their user', async () => {
    await add('leaver', session('left', 'leaver', 20))
    await db().sql.run('delete from users where id = ?', ['leaver'])
    expect(await store.findSession(db(), 'hash-left', at)).toBeNull()
  })
})
