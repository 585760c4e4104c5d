import { expect, test } from 'vitest'
import { accepts } from './testing.ts'
import { UserCreate, UserUpdate } from './users.ts'

const user = { first_name: 'Lena', username: 'lena', password: '12345678' }

test.each([
  { why: 'the least', body: {}, ok: true },
  { why: 'a password of 8 characters', body: { password: 'x'.repeat(8) }, ok: true },
  { why: 'a password of 7 characters', body: { password: 'x'.repeat(7) }, ok: false },
  { why: 'a password of 100 characters', body: { password: 'x'.repeat(100) }, ok: true },
  { why: 'a password of 101 characters', body: { password: 'x'.repeat(101) }, ok: false },
  { why: 'an empty username', body: { username: '' }, ok: false },
  { why: 'a username with spaces', body: { username: 'Lena B' }, ok: true },
  { why: 'an unknown role', body: { role: 'root' }, ok: false },
  { why: 'a null role', body: { role: null }, ok: true },
  { why: 'an empty last name', body: { last_name: '' }, ok: false },
  { why: 'workspaces', body: { workspaces: ['team'] }, ok: true },
])('a new user with $why -> $ok', ({ body, ok }) => {
  expect(accepts(UserCreate, { ...user, ...body })).toBe(ok)
})

test('a patch may clear the last name only', () => {
  expect(accepts(UserUpdate, {})).toBe(true)
  expect(accepts(UserUpdate, { last_name: null })).toBe(true)
  for (const key of ['first_name', 'username', 'role', 'password']) expect(accepts(UserUpdate, { [key]: null })).toBe(false)
})
