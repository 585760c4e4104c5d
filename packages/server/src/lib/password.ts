/** Passwords and their hashes. A running server hashes in a thread of its own (`threads/hasher.ts`). */
import { randomBytes } from 'node:crypto'
import type { Options } from '@node-rs/argon2'

/** The argon2id cost that OWASP gives as its first choice: 19 MiB, two passes. */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Loaded by the threads that hash: the others only have a context that could. */
const loadArgon = () => import('@node-rs/argon2')

/** Longer than any password may be: what is cut here is wrong anyway, and nobody pays for hashing it. */
const CHECKED_LENGTH_MAX = 1_000

/** For whom a password is hashed. */
export interface HashedFor {
  /** An address, a user or a browser: none of them may fill the queue alone. */
  source: string
  /** Whether the server knows the source: strangers cannot take its place in the queue. */
  isKnown: boolean
}

export interface Passwords {
  hash(password: string, by: HashedFor): Promise<string>
  /** Whether the password fits. Takes as long for an unknown user (null) as for a known one, so that names cannot be probed. */
  fits(passwordHash: string | null, password: string, by: HashedFor): Promise<boolean>
}

/** Hashes wherever it is called: for the command line, for the start of a server and for tests. */
export function openPasswords(): Passwords {
  let unknown: Promise<string> | undefined
  const unknownUserHash = () => {
    unknown ??= loadArgon().then(({ hash }) => hash(UNKNOWN_USER, COST))
    return unknown
  }
  return {
    hash: async password => (await loadArgon()).hash(password, COST),
    fits: async (passwordHash, password) => {
      const { verify } = await loadArgon()
      const isRight = await verify(passwordHash ?? (await unknownUserHash()), toChecked(password))
      return isRight && passwordHash !== null
    },
  }
}

/** For users who sign in elsewhere: a well-formed hash of nothing. No password fits, and finding that out takes as long as ever. */
export function unusablePasswordHash(): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${random(16)}$${random(32)}`
}

const UNKNOWN_USER = 'no such user'
const toChecked = (password: string) => password.slice(0, CHECKED_LENGTH_MAX)

/** The same for a thread that does nothing else: it blocks, and takes none of the threads that files are read with. */
export async function openBlockingPasswords() {
  const { hashSync, verifySync } = await loadArgon()
  const unknownUserHash = hashSync(UNKNOWN_USER, COST)
  return {
    hash: (password: string) => hashSync(password, COST),
    fits: (passwordHash: string | null, password: string) => {
      const isRight = verifySync(passwordHash ?? unknownUserHash, toChecked(password))
      return isRight && passwordHash !== null
    },
  }
}
