import { describe, expect, test } from 'vitest'
import { eachDatabase } from '../../testing/databases.ts'
import {
  deleteMembership,
  deleteWorkspaceRow,
  hasMember,
  insertMemberships,
  insertWorkspace,
  listWorkspaces,
  listWorkspacesByNames,
  loadWorkspace,
  lockWorkspace,
} from './store.ts'

const time = (second: number) => `2026-01-05T10:11:${second}.131415`
const workspace = (name: string, second = 10) => ({ id: `id-${name}`, name, inserted_at: time(second), updated_at: time(second) })

describe('workspaces', () => {
  eachDatabase(db => {
    const addUser = (id: string) => {
      const row = {
        id,
        first_name: id,
        last_name: null,
        username: id,
        role: 'annotator',
        password_hash: '',
        api_key_encrypted: '',
      }
      const times = { inserted_at: time(10), updated_at: time(10) }
      return db()
        .kysely.insertInto('users')
        .values({ ...row, ...times, api_key_hash: id })
        .execute()
    }

    test('are listed oldest first: all of them, those of a member, or those with a name', async () => {
      for (const [name, second] of [
        ['c', 30],
        ['a', 20],
        ['b', 25],
      ] as const)
        await insertWorkspace(db(), workspace(name, second))
      await addUser('lena')
      const joined = ['id-c', 'id-a'].map(workspace_id => ({ workspace_id, user_id: 'lena', inserted_at: time(40) }))
      await insertMemberships(db(), joined)

      const names = (workspaces: { name: string }[]) => workspaces.map(({ name }) => name)
      expect(names(await listWorkspaces(db(), { memberId: null }))).toEqual(['a', 'b', 'c'])
      expect(names(await listWorkspaces(db(), { memberId: 'lena' }))).toEqual(['a', 'c'])
      expect(names(await listWorkspacesByNames(db(), ['c', 'b', 'B', 'missing']))).toEqual(['b', 'c'])
    })

    test.each([
      { name: 'taken', id: 'free' },
      { name: 'free', id: 'id-taken' },
    ])('cannot share $name and $id', async other => {
      await insertWorkspace(db(), workspace('taken')).catch(() => undefined)
      await expect(insertWorkspace(db(), { ...workspace('x'), ...other })).rejects.toMatchObject({ code: 'not_unique' })
    })

    test('have a member once, until the membership ends', async () => {
      for (const name of ['team', 'other']) await insertWorkspace(db(), workspace(name))
      await addUser('omar')
      const membership = { workspace_id: 'id-team', user_id: 'omar', inserted_at: time(10) }
      await insertMemberships(db(), [membership, { ...membership, workspace_id: 'id-other' }])
      await expect(insertMemberships(db(), [membership])).rejects.toMatchObject({ code: 'not_unique' })
      expect(await hasMember(db(), 'id-team', 'omar')).toBe(true)
      await deleteMembership(db(), 'id-team', 'omar')
      expect([await hasMember(db(), 'id-team', 'omar'), await hasMember(db(), 'id-other', 'omar')]).toEqual([false, true])
    })

    test('take their memberships along when they are deleted', async () => {
      await insertWorkspace(db(), workspace('gone'))
      await addUser('rosa')
      await insertMemberships(db(), [{ workspace_id: 'id-gone', user_id: 'rosa', inserted_at: time(10) }])
      expect(await lockWorkspace(db(), 'id-gone')).toEqual(workspace('gone'))
      await deleteWorkspaceRow(db(), 'id-gone')
      expect(await hasMember(db(), 'id-gone', 'rosa')).toBe(false)
      for (const load of [loadWorkspace, lockWorkspace]) {
        await expect(load(db(), 'id-gone')).rejects.toMatchObject({ code: 'not_found' })
      }
    })
  })
})
