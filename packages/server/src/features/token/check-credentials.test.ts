import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenContext } from '../../context.ts'
import { openAttempts } from '../../lib/attempts.ts'
import type { HashSource } from '../../lib/password.ts'
import { openTestContext, TEST_SENDER, type TestContext } from '../../testing/context.ts'
import { createFirstOwner } from '../users/create-first-owner.ts'
import { checkCredentials } from './check-credentials.ts'

const PASSWORD = 'long enough'

let ctx: TestContext
beforeAll(async () => {
  ctx = await openTestContext()
  for (const username of ['lena', 'omar', 'gone']) {
    await createFirstOwner(ctx, { username, password: PASSWORD, apiKey: null, workspace: null })
  }
  await ctx.db.sql.run("update users set deactivated_at = ? where username = 'gone'", [ctx.now()])
})
afterAll(() => ctx.close())

/** Wraps the password check and records for whom it ran, and whether there was a hash. */
function openChecks(sleep?: (ms: number) => Promise<unknown>) {
  const checked: (HashSource & { hasHash: boolean })[] = []
  const passwords: OpenContext['passwords'] = {
    ...ctx.passwords,
    fits: (hash, password, by) => {
      checked.push({ ...by, hasHash: hash !== null })
      return ctx.passwords.fits(hash, password, by)
    },
  }
  // A fixed clock, so that wrong attempts do not expire during a test.
  const attempts = openAttempts(sleep && { sleep, nowMs: () => 0 })
  const signIn = async (username: string, { password = PASSWORD, address = 'home' } = {}) => {
    const sender = { ...TEST_SENDER, address }
    const check = checkCredentials({ ...ctx, passwords, attempts, requestId: 'test', sender }, { username, password })
    return check.then(
      user => user.username,
      (error: { code: string }) => error.code,
    )
  }
  return { checked, signIn }
}

test.each([
  { who: 'a known user', username: 'lena', password: PASSWORD, answer: 'lena', hasHash: true },
  { who: 'a wrong password', username: 'lena', password: 'a guess', answer: 'unauthenticated', hasHash: true },
  { who: 'an unknown name', username: 'nobody', password: PASSWORD, answer: 'unauthenticated', hasHash: false },
  { who: 'a deactivated user', username: 'gone', password: PASSWORD, answer: 'deactivated', hasHash: true },
  { who: 'a wrong password of theirs', username: 'gone', password: 'a guess', answer: 'unauthenticated', hasHash: true },
])('$who: one password is checked, and the answer is $answer', async ({ username, password, answer, hasHash }) => {
  const { checked, signIn } = openChecks()
  expect(await signIn(username, { password })).toBe(answer)
  expect(checked).toEqual([{ source: 'address home', isKnown: false, hasHash }])
})

test('strangers cannot take the place in the queue of an address from which the account was signed in to', async () => {
  const { checked, signIn } = openChecks()
  await signIn('lena', { password: 'a guess' })
  await signIn('lena')
  await signIn('lena', { password: 'a guess' })
  await signIn('lena', { address: 'elsewhere' })
  await signIn('omar')
  expect(checked.map(({ isKnown }) => isKnown)).toEqual([false, false, true, false, false])
})

test('guesses from many addresses count together for the account: after twenty, a new address is delayed too', async () => {
  const held: number[] = []
  const { signIn } = openChecks(async ms => held.push(ms))
  for (let i = 0; i < 20; i++)
    expect(await signIn('omar', { password: 'a guess', address: `address ${i}` })).toBe('unauthenticated')
  expect(held).toEqual([])
  expect(await signIn('omar', { password: 'a guess', address: 'one more' })).toBe('unauthenticated')
  expect(held).toEqual([500])
  expect(await signIn('lena', { address: 'one more' })).toBe('lena')
  expect(held).toEqual([500])
})

test('a delayed attempt with the old password fails if the password was changed meanwhile', async () => {
  const setHash = (hash: string) => ctx.db.sql.run("update users set password_hash = ? where username = 'omar'", [hash])
  const [row] = await ctx.db.sql.all<{ password_hash: string }>("select password_hash from users where username = 'omar'")
  const changed = await ctx.passwords.hash('another password', { source: 'test', isKnown: true })
  const { signIn } = openChecks(() => setHash(changed))
  try {
    for (let i = 0; i < 10; i++) await signIn('omar', { password: 'a guess' })
    expect(await signIn('omar')).toBe('unauthenticated')
    expect(await signIn('omar', { password: 'another password' })).toBe('omar')
  } finally {
    await setHash(row?.password_hash ?? '')
  }
})
