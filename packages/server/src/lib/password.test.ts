import { expect, test } from 'vitest'
import { isBcryptHash, openBlockingPasswords, openPasswords } from './password.ts'

/** Hash of `secret of lena`, with the prefix that PHP and Python use. */
const LENA = '$2y$05$U9O0cu7B/x8DxgKxOvxM.u04m37aaTx2vMCNFzDUmbfp3JF4tdH5y'
const BY = { source: 'test', isKnown: true }

test.each([
  { password: 'secret of lena', fits: true },
  { password: 'secret of Lena', fits: false },
  { password: '', fits: false },
  { password: 'x'.repeat(10_000), fits: false },
])('a bcrypt hash of another server: $password.length characters fit: $fits', async ({ password, fits }) => {
  for (const hash of [LENA, LENA.replace('$2y$', '$2b$'), LENA.replace('$2y$', '$2a$')]) {
    expect(await openPasswords().fits(hash, password, BY)).toBe(fits)
    expect((await openBlockingPasswords()).fits(hash, password)).toBe(fits)
  }
})

test.each([
  { hash: LENA, is: true },
  { hash: LENA.replace('$05$', '$16$'), is: false }, // Checking it would take seconds.
  { hash: LENA.replace('$05$', '$03$'), is: false },
  { hash: LENA.slice(0, -1), is: false },
  { hash: `${LENA}x`, is: false },
  { hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', is: false },
])('$hash is a bcrypt hash: $is', ({ hash, is }) => {
  expect(isBcryptHash(hash)).toBe(is)
})
