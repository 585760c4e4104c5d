/** Passwords and their hashes. A running server hashes in a dedicated thread (`threads/hasher.ts`). */
import { randomBytes } from 'node:crypto'
import type { Options } from '@node-rs/argon2'

/** The argon2id cost that OWASP recommends first: 19 MiB, two passes. */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Loaded on first use, because only some threads hash. */
const loadArgon = () => import('@node-rs/argon2')

/** For password hashes of users imported from another server. */
const loadBcrypt = () => import('bcryptjs')

/** Costs above 15 are refused, because a check would take seconds and block other sign-ins. */
export const isBcryptHash = (hash: string): boolean => /^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/.test(hash)

/** Longer than any valid password, so truncated input is wrong anyway and costs little to hash. */
const CHECKED_LENGTH_MAX = 1_000

/** The client for which a password is hashed. */
export interface HashSource {
  /** An address, a user or a browser. None of them can fill the queue alone. */
  source: string
  /**
   * True for signed-in users and for sources that have signed in before; unknown sources cannot take their place in the queue.
   */
  isKnown: boolean
}

export interface Passwords {
  hash(password: string, by: HashSource): Promise<string>
  /**
   * Returns true if the password is correct. Takes as long for an unknown user (null) as for a known one, so that user names
   * cannot be probed.
   */
  fits(passwordHash: string | null, password: string, by: HashSource): Promise<boolean>
}

/** Hashes in the calling thread: for the command line, the start of a server and tests. */
export function openPasswords(): Passwords {
  let unknown: Promise<string> | undefined
  const unknownUserHash = () => {
    unknown ??= loadArgon().then(({ hash }) => hash(UNKNOWN_USER, COST))
    return unknown
  }
  return {
    hash: async password => (await loadArgon()).hash(password, COST),
    fits: async (passwordHash, password) => {
      if (passwordHash !== null && isBcryptHash(passwordHash))
        return (await loadBcrypt()).compare(toChecked(password), passwordHash)
      const { verify } = await loadArgon()
      const isRight = await verify(passwordHash ?? (await unknownUserHash()), toChecked(password))
      return isRight && passwordHash !== null
    },
  }
}

/**
 * Well-formed random hash for users who sign in with a provider. No password matches it, and a check takes as long as for other
 * users.
 */
export function unusablePasswordHash(): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${random(16)}$${random(32)}`
}

const UNKNOWN_USER = 'no such user'
const toChecked = (password: string) => password.slice(0, CHECKED_LENGTH_MAX)

/** The same for a dedicated thread: it blocks, so it does not occupy libuv threads that read files. */
export async function openBlockingPasswords() {
  const { hashSync, verifySync } = await loadArgon()
  const { compareSync } = await loadBcrypt()
  const unknownUserHash = hashSync(UNKNOWN_USER, COST)
  return {
    hash: (password: string) => hashSync(password, COST),
    fits: (passwordHash: string | null, password: string) => {
      if (passwordHash !== null && isBcryptHash(passwordHash)) return compareSync(toChecked(password), passwordHash)
      const isRight = verifySync(passwordHash ?? unknownUserHash, toChecked(password))
      return isRight && passwordHash !== null
    },
  }
}
