/**
 * A sign-in in progress. Its data is stored encrypted in a cookie of the browser that started it. The server therefore stores
 * nothing for abandoned sign-ins, and any process can finish one.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { hashSecret, type Secrets } from '../../lib/secrets.ts'

/** Time to enter a password and a second factor at the provider. */
export const ATTEMPT_SECONDS = 600

export interface Attempt {
  provider: string
  /** Returned in the callback URL; also identifies the cookie. */
  state: string
  /** Returned in the ID token. */
  nonce: string
  /** PKCE: proves that the client that redeems the code also started the sign-in. */
  verifier: string
  redirectUri: string
  returnTo: string
  expiresMs: number
}

const random = () => randomBytes(32).toString('base64url')

export const newAttempt = (given: Pick<Attempt, 'provider' | 'redirectUri' | 'returnTo'>, nowMs = Date.now()): Attempt => ({
  ...given,
  state: random(),
  nonce: random(),
  verifier: random(),
  expiresMs: nowMs + ATTEMPT_SECONDS * 1000,
})

/** Suffix of the cookie's name. */
export const toAttemptId = (state: string) => Buffer.from(hashSecret(state)).toString('hex').slice(0, 16)

const keyOf = ({ signing }: Secrets) => Buffer.from(hkdfSync('sha256', signing, '', 'postil sign-in with a provider', 32))

export function encryptAttempt(secrets: Secrets, attempt: Attempt): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secrets), iv)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(attempt), 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Decrypts the attempt. Returns null if it is invalid or has expired. */
export function decryptAttempt(secrets: Secrets, sealed: string, nowMs = Date.now()): Attempt | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < 28) return null
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secrets), bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(12, 28))
  try {
    const text = decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    const attempt = JSON.parse(text) as Attempt
    // The upper bound keeps an attempt from lasting longer when the clock is set back.
    const leftMs = attempt.expiresMs - nowMs
    return leftMs > 0 && leftMs <= ATTEMPT_SECONDS * 1000 ? attempt : null
  } catch {
    return null
  }
}
