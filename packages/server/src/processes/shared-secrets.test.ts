import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { hasKeys } from '../lib/secrets.ts'
import { openSharedSecrets } from './shared-secrets.ts'
import { describeOnPostgres } from './testing/on-postgres.ts'

const SECRET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const OTHER_SECRET = `other ${SECRET}`

describeOnPostgres('keys', ({ db, openAnother }) => {
  const folders: string[] = []
  const newHome = () => {
    const folder = mkdtempSync(join(tmpdir(), 'postil-home-'))
    folders.push(folder)
    return folder
  }
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await db().sql.run('delete from server_keys')
    await db().sql.run('delete from users')
  })
  const addUser = () =>
    db().sql.run(`insert into users (id, first_name, username, role, password_hash, api_key_hash, api_key_encrypted, inserted_at, updated_at)
      values ('u', 'Lena', 'lena', 'owner', '', '', '', '', '') on conflict do nothing`)
  let told: string[] = []
  const open = async (homePath: string, authSecretKey: string | null, { hasUsers = false, handle = db() } = {}) => {
    told = []
    if (hasUsers) await addUser()
    const now = '2026-01-05T10:11:12.131415'
    return openSharedSecrets(handle, { homePath, authSecretKey, now, tell: line => void told.push(line) })
  }
  const rows = async () => JSON.stringify(await db().sql.all('select * from server_keys'))

  test('are the same in every process that has the same secret, and in no file', async () => {
    const [one, two] = [newHome(), newHome()]
    const first = await open(one, SECRET)
    expect(await open(two, SECRET, { hasUsers: true })).toEqual(first)
    expect([one, two].map(hasKeys)).toEqual([false, false])
    expect(await rows()).not.toContain(Buffer.from(first.encryption).toString('base64'))
  })

  test('are made once by processes that start at the same moment', async () => {
    const other = openAnother()
    try {
      const all = await Promise.all([db(), other, db(), other].map(handle => open(newHome(), SECRET, { handle })))
      expect(new Set(all.map(({ encryption }) => Buffer.from(encryption).toString('base64'))).size).toBe(1)
    } finally {
      await other.close()
    }
  })

  test('are refused with another secret, or without one', async () => {
    await open(newHome(), SECRET)
    await expect(open(newHome(), OTHER_SECRET)).rejects.toThrow('SERVICE_AUTH_SECRET_KEY is not the one')
    await expect(open(newHome(), null)).rejects.toThrow('Set it to the value that the other processes have')
  })

  test('of a home path are those of every process that has them, and others are refused', async () => {
    const [one, copy, other] = [newHome(), newHome(), newHome()]
    const first = await open(one, null)
    expect(await open(one, null, { hasUsers: true })).toEqual(first)
    cpSync(one, copy, { recursive: true })
    expect(await open(copy, null, { hasUsers: true })).toEqual(first)
    await expect(open(other, null, { hasUsers: true })).rejects.toThrow(
      /has no encryption\.key.*the same SERVICE_AUTH_SECRET_KEY/,
    )
    expect(existsSync(join(other, 'encryption.key'))).toBe(false)
    rmSync(join(copy, 'signing.key'))
    await expect(open(copy, null, { hasUsers: true })).rejects.toThrow('has no signing.key')
  })

  test('of a home path go into the database once its server is given a secret', async () => {
    const [home, other] = [newHome(), newHome()]
    const { encryption } = await open(home, null)
    await expect(open(other, SECRET, { hasUsers: true })).rejects.toThrow('Start that server once with SERVICE_AUTH_SECRET_KEY')
    expect((await open(home, SECRET, { hasUsers: true })).encryption).toEqual(encryption)
    expect(told).toEqual([expect.stringContaining('is now also in the database')])
    expect((await open(other, SECRET, { hasUsers: true })).encryption).toEqual(encryption)
    expect(told).toEqual([])
  })

  test('are not made anew for users who have API keys already', async () => {
    await expect(open(newHome(), SECRET, { hasUsers: true })).rejects.toThrow('restore encryption.key from a backup')
    await expect(open(newHome(), null, { hasUsers: true })).rejects.toThrow('encryption.key is missing')
  })
})
