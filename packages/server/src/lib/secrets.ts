/**
 * The server's own secrets: made once, kept beside the database with mode 0600. API keys are found by a keyed hash and
 * shown by decrypting them, so that a stolen database alone opens nothing.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from './operator-error.ts'
import { syncFile } from './sync-file.ts'

export interface Secrets {
  /** Signs tokens. */
  signing: Uint8Array
  /** Hashes and encrypts API keys. */
  encryption: Uint8Array
}

/** What a backup must hold besides the database. */
export const KEY_FILES = ['encryption.key', 'signing.key'] as const

const toPaths = (home: string) => ({ signing: join(home, 'signing.key'), encryption: join(home, 'encryption.key') })

/** Whether a server has used this folder before. */
export const hasKeys = (home: string): boolean => existsSync(toPaths(home).encryption)

interface SecretsOptions {
  /** The database has users, whose API keys only the existing encryption key can read. */
  hasUsers?: boolean
  /** Gets a line about a key that was made although there was a server before. */
  tell?: (line: string) => void
}

/** Reads the keys and makes those that are missing, unless a new one would make stored API keys unreadable. */
export function openSecrets(
  home: string,
  signingKey: string | null,
  { hasUsers = false, tell = () => {} }: SecretsOptions = {},
): Secrets {
  const { signing, encryption } = toPaths(home)
  if (hasUsers) checkEncryptionKey(home)
  if (hasUsers && signingKey === null && !existsSync(signing)) {
    tell(`${signing} was missing and is made anew: tokens that were given out are no longer valid, people sign in again.`)
  }
  return {
    signing: signingKey === null ? readOrMake(signing) : new TextEncoder().encode(signingKey),
    encryption: readOrMake(encryption),
  }
}

/** Throws if the key is missing that the API keys of stored users need. */
export function checkEncryptionKey(home: string): void {
  const { encryption } = toPaths(home)
  if (existsSync(encryption)) return
  throw new OperatorError(
    `${encryption} is missing, and the database has users: without it none of their API keys works. ` +
      'Restore it from a backup. If it is lost for good, start anew with another SERVICE_HOME_PATH (and SERVICE_DATABASE_URL, if you set it).',
  )
}

/** For commands that look after a database: existing keys, and none is made or stored. */
export function readSecrets(home: string): Secrets {
  const { signing, encryption } = toPaths(home)
  const readOrRandom = (path: string) => (existsSync(path) ? readKey(path) : new Uint8Array(randomBytes(32)))
  return { signing: readOrRandom(signing), encryption: readOrRandom(encryption) }
}

/** The key gets its name when it is complete and on disk: a start that is killed leaves no part of one. */
function readOrMake(path: string): Uint8Array {
  const unfinished = `${path}.new`
  rmSync(unfinished, { force: true })
  if (!existsSync(path)) {
    writeFileSync(unfinished, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx', flush: true })
    takeName(unfinished, path)
    syncFile(dirname(path))
  }
  chmodSync(path, 0o600)
  return readKey(path)
}

/** Unlike a rename, a link never replaces a key that another process made meanwhile. */
function takeName(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path)
  } catch (error) {
    // Some file systems have no hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(unfinished, path)
  }
  rmSync(unfinished, { force: true })
}

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64')
  if (key.length < 32) throw new OperatorError(`${path} does not hold a key of 32 bytes. Restore it from a backup.`)
  return new Uint8Array(key)
}

const derived = (secrets: Secrets, purpose: string) => Buffer.from(hkdfSync('sha256', secrets.encryption, '', purpose, 32))

/** For secrets of 256 random bits: nothing slower would be safer, and no key is needed. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

export interface ApiKeys {
  create(): string
  hash(key: string): string
  encrypt(key: string): string
  decrypt(encrypted: string): string
}

export function openApiKeys(secrets: Secrets): ApiKeys {
  const hashKey = derived(secrets, 'postil api key hash').toString('base64')
  const cipherKey = derived(secrets, 'postil api key cipher')
  return {
    create: () => randomBytes(80).toString('base64url'),
    // Runs with every request. The secret in front keys the hash; whole hashes are compared, so nothing can be appended.
    hash: key => hash('sha256', hashKey + key, 'base64url'),
    encrypt: key => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, iv)
      const sealed = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')
    },
    decrypt: encrypted => {
      const bytes = Buffer.from(encrypted, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
