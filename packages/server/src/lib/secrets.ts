/**
 * The server's own secrets: created once and stored next to the database with mode 0600. API keys are looked up by a keyed hash
 * and stored encrypted, so that a stolen database alone does not reveal them.
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
  /** Keys derived from it sign tokens and device cookies. */
  signing: Uint8Array
  /** Keys derived from it hash and encrypt API keys. */
  encryption: Uint8Array
}

/** Files that a backup must contain besides the database. */
export const KEY_FILES = ['encryption.key', 'signing.key'] as const

const toPaths = (home: string) => ({ signing: join(home, 'signing.key'), encryption: join(home, 'encryption.key') })

/** True if a server has used this folder before. */
export const hasKeys = (home: string): boolean => existsSync(toPaths(home).encryption)

interface SecretsOptions {
  /** True if the database has users, whose API keys only the existing encryption key can decrypt. */
  hasUsers?: boolean
  /** Called with a message if a missing key is created for an existing server. */
  tell?: (line: string) => void
}

/** Reads the keys and creates missing ones, unless a new key would make stored API keys unreadable. */
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

/** Returns the existing keys without creating any. */
export function findKeys(home: string): Partial<Secrets> {
  const { signing, encryption } = toPaths(home)
  return {
    ...(existsSync(signing) && { signing: readKey(signing) }),
    ...(existsSync(encryption) && { encryption: readKey(encryption) }),
  }
}

/** Throws if the encryption key for the API keys of stored users is missing. */
export function checkEncryptionKey(home: string): void {
  const { encryption } = toPaths(home)
  if (existsSync(encryption)) return
  throw new OperatorError(
    `${encryption} is missing, and the database has users: without it none of their API keys works. ` +
      'Restore it from a backup. If it is lost for good, start anew with another SERVICE_HOME_PATH (and SERVICE_DATABASE_URL, if you set it).',
  )
}

/** For maintenance commands: returns the existing keys, and random ones that are not stored for those that are missing. */
export function readSecrets(home: string): Secrets {
  const random = () => new Uint8Array(randomBytes(32))
  return { signing: random(), encryption: random(), ...findKeys(home) }
}

/** Writes a new key completely to disk before it gets its final name, so that a killed start leaves no partial key. */
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

/** Unlike a rename, a link never replaces a key that another process has created in the meantime. */
function takeName(unfinished: string, path: string): void {
  try {
    linkSync(unfinished, path)
  } catch (error) {
    // Some file systems do not support hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(unfinished, path)
  }
  rmSync(unfinished, { force: true })
}

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64')
  if (key.length < 32) throw new OperatorError(`${path} does not hold a key of 32 bytes. Restore it from a backup.`)
  return new Uint8Array(key)
}

const deriveKey = (secret: Uint8Array, purpose: string, length = 32) =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, length))

/** A user and the version of their credentials, as used in signatures. */
export interface UserCredentials {
  id: string
  /** Incremented with every change of password or role and with deactivation, which invalidates earlier signatures. */
  credentials_version: number
}

/** Returns the key that signs the tokens of one user, long enough for every supported algorithm. */
export const tokenKey = ({ signing }: Secrets, { id, credentials_version }: UserCredentials): Uint8Array =>
  new Uint8Array(deriveKey(signing, `postil token ${id} ${credentials_version}`, 64))

/** Creates a signed proof that a browser has signed in as this user. It contains a random browser id and no secret. */
export function newDeviceProof(secrets: Secrets, user: UserCredentials): string {
  const device = randomBytes(16).toString('base64url')
  return `${device}.${deviceSignature(secrets, device, user)}`
}

const NOBODY: UserCredentials = { id: '', credentials_version: 0 }

/** Returns the browser id if the proof is valid for this user, otherwise null. Takes as long if the user does not exist. */
export function verifyDeviceProof(secrets: Secrets, proof: string | null, user: UserCredentials | null): string | null {
  const [device = '', signature = ''] = (proof ?? '').split('.')
  const [given, right] = [signature, deviceSignature(secrets, device, user ?? NOBODY)].map(text => Buffer.from(text))
  if (!given || !right || given.length !== right.length || !timingSafeEqual(given, right)) return null
  return user === null ? null : device
}

function deviceSignature({ signing }: Secrets, device: string, { id, credentials_version }: UserCredentials): string {
  return createHmac('sha256', deriveKey(signing, 'postil device'))
    .update(`${device} ${id} ${credentials_version}`)
    .digest('base64url')
}

/** For secrets of 256 random bits, which need neither a slow hash nor a key. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

export interface ApiKeys {
  create(): string
  hash(key: string): string
  encrypt(key: string): string
  decrypt(encrypted: string): string
}

/** Marks the hash algorithm. Hashes without the prefix come from an earlier release and are replaced at start. */
export const API_KEY_HASH_PREFIX = 'hmac:'

export function createApiKeys({ encryption }: Secrets): ApiKeys {
  // A KeyObject, created once: creating one from bytes for every hash takes four times as long as the hash.
  const hashKey = createSecretKey(deriveKey(encryption, 'postil api key hash'))
  const cipherKey = deriveKey(encryption, 'postil api key cipher')
  return {
    create: () => randomBytes(80).toString('base64url'),
    // Runs on every request.
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
