import { hash, hkdfSync } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSecrets } from '../../lib/secrets.ts'
import { actAs, openTestContext, type TestContext } from '../../testing/context.ts'
import { rehashApiKeys } from './rehash-api-keys.ts'
import { findActorByApiKeyHash, loadUser } from './store.ts'

let ctx: TestContext
beforeEach(async () => {
  ctx = await openTestContext()
})
afterEach(() => ctx.close())

/** Hash of earlier releases, with the secret as a prefix. */
function oldHash(key: string): string {
  const { encryption } = openSecrets(ctx.config.homePath, null)
  const secret = Buffer.from(hkdfSync('sha256', encryption, '', 'postil api key hash', 32)).toString('base64')
  return hash('sha256', secret + key, 'base64url')
}

async function aUserWithOldHash(): Promise<{ id: string; key: string }> {
  const { id } = (await actAs(ctx, 'annotator')).actor
  const key = ctx.apiKeys.decrypt((await loadUser(ctx.db, id)).api_key_encrypted)
  await ctx.db.sql.run('update users set api_key_hash = ? where id = ?', [oldHash(key), id])
  return { id, key }
}

const userOf = async (key: string) => (await findActorByApiKeyHash(ctx.db, ctx.apiKeys.hash(key)))?.id ?? null

test('keys that an earlier release hashed work again, and nothing else of their users changes', async () => {
  const { id, key } = await aUserWithOldHash()
  const before = await loadUser(ctx.db, id)
  expect(await userOf(key)).toBeNull()
  expect(await rehashApiKeys(ctx)).toBe(1)
  expect(await userOf(key)).toBe(id)
  expect(await loadUser(ctx.db, id)).toEqual({ ...before, api_key_hash: expect.stringMatching(/^hmac:[\w-]{43}$/) })
})

test('the second time there is nothing to do', async () => {
  await aUserWithOldHash()
  await actAs(ctx, 'owner')
  expect([await rehashApiKeys(ctx), await rehashApiKeys(ctx)]).toEqual([1, 0])
})

test('more keys than fit into one batch are rehashed', async () => {
  const { id } = await aUserWithOldHash()
  const { api_key_hash: _, ...row } = await loadUser(ctx.db, id)
  const keys = Array.from({ length: 1_100 }, (_, i) => `key number ${i}`)
  const rows = keys.map((key, i) => {
    const stored = { api_key_hash: oldHash(key), api_key_encrypted: ctx.apiKeys.encrypt(key) }
    return { ...row, ...stored, id: ctx.newId(), username: `user ${i}` }
  })
  for (const one of rows) await ctx.db.kysely.insertInto('users').values(one).execute()
  expect(await rehashApiKeys(ctx)).toBe(1_101)
  expect(await userOf('key number 1099')).toBe(rows.at(-1)?.id)
})

test('a key that cannot be decrypted is skipped and does not stop the others', async () => {
  const [broken, whole] = [await aUserWithOldHash(), await aUserWithOldHash()]
  await ctx.db.sql.run('update users set api_key_encrypted = ? where id = ?', ['AAAA', broken.id])
  const before = await loadUser(ctx.db, broken.id)
  expect(await rehashApiKeys(ctx)).toBe(1)
  expect(await userOf(whole.key)).toBe(whole.id)
  expect(await loadUser(ctx.db, broken.id)).toEqual(before)
})
