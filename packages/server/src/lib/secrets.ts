/**
 * The server's own secrets: made once, kept beside the database with mode 0600. API keys are found by a keyed hash and
 * shown by decrypting them, so that a stolen database alone opens nothing.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from './operator-error.ts'
import { syncFile } from './sync-file.ts'

export interface Secrets {
  /** Signs tokens and device cookies, with keys derived from it. */
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

/** The keys that are there; none is made. */
export function findKeys(home: string): Partial<Secrets> {
  const { signing, encryption } = toPaths(home)
  return {
    ...(existsSync(signing) && { signing: readKey(signing) }),
    ...(existsSync(encryption) && { encryption: readKey(encryption) }),
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
  const random = () => new Uint8Array(randomBytes(32))
  return { signing: random(), encryption: random(), ...findKeys(home) }
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

const derived = (secret: Uint8Array, purpose: string, length = 32) => Buffer.from(hkdfSync('sha256', secret, '', purpose, length))

/** The user whom something was signed for, and the state of their credentials then. */
export interface CredentialsOf {
  id: string
  /** Grows with every change of password or role, and with a deactivation: what was signed before ends. */
  credentials_version: number
}

/** Signs the tokens of one user. Long enough for every algorithm that tokens may have. */
export const tokenKey = ({ signing }: Secrets, { id, credentials_version }: CredentialsOf): Uint8Array =>
  new Uint8Array(derived(signing, `postil token ${id} ${credentials_version}`, 64))

/** A signed statement that a browser has signed in as this user. It holds a random name of the browser and no secret. */
export function newDeviceProof(secrets: Secrets, user: CredentialsOf): string {
  const device = randomBytes(16).toString('base64url')
  return `${device}.${deviceSignature(secrets, device, user)}`
}

const NOBODY: CredentialsOf = { id: '', credentials_version: 0 }

/** The name of the browser, if the statement is true of this user; null otherwise. Takes as long when there is no such user. */
export function provenDevice(secrets: Secrets, proof: string | null, user: CredentialsOf | null): string | null {
  const [device = '', signature = ''] = (proof ?? '').split('.')
  const [given, right] = [signature, deviceSignature(secrets, device, user ?? NOBODY)].map(text => Buffer.from(text))
  if (!given || !right || given.length !== right.length || !timingSafeEqual(given, right)) return null
  return user === null ? null : device
}

function deviceSignature({ signing }: Secrets, device: string, { id, credentials_version }: CredentialsOf): string {
  return createHmac('sha256', derived(signing, 'postil device'))
    .update(`${device} ${id} ${credentials_version}`)
    .digest('base64url')
}

/** For secrets of 256 random bits: nothing slower would be safer, and no key is needed. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

export interface ApiKeys {
  create(): string
  hash(key: string): string
  encrypt(key: string): string
  decrypt(encrypted: string): string
}

/** Tells how a key was hashed. Hashes without it were made by an earlier release; they are made anew at start. */
export const API_KEY_HASH_PREFIX = 'hmac:'

export function openApiKeys({ encryption }: Secrets): ApiKeys {
  // A KeyObject, made once: Node makes one from bytes at every hash, which takes four times as long as the hash.
  const hashKey = createSecretKey(derived(encryption, 'postil api key hash'))
  const cipherKey = derived(encryption, 'postil api key cipher')
  return {
    create: () => randomBytes(80).toString('base64url'),
    // Runs with every request.
    hash: key => API_KEY_HASH_PREFIX + createHmac('sha256', hashKey).update(key).digest('base64url'),
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
