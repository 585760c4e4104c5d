/**
 * Server keys when several processes share a PostgreSQL database.
 *
 * With SERVICE_AUTH_SECRET_KEY, the encryption key is stored in the database, encrypted with a key derived from that setting, so
 * that processes need to share nothing else. Without it, the keys are files in the home path, as with SQLite. The database then
 * stores their fingerprints, and a process with different keys does not start, because its API keys and tokens would not work in
 * other processes.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import { checkEncryptionKey, findKeys, KEY_FILES, openSecrets, type Secrets } from '../lib/secrets.ts'
import type { Database, Queryable } from '../storage/database.ts'
import { listTables } from '../storage/migrate.ts'

interface SharedSecretsOptions {
  homePath: string
  authSecretKey: string | null
  now: string
  tell(line: string): void
}

interface KeyState {
  stored: readonly StoredKey[]
  /** True if users exist, whose API keys can be decrypted only with the existing encryption key. */
  hasUsers: boolean
}

/**
 * Requires a database at the newest revision. Runs in one process at a time, so that only one of several processes that start on
 * an empty database creates the keys.
 */
export function openSharedSecrets(db: Database, options: SharedSecretsOptions): Promise<Secrets> {
  const { authSecretKey } = options
  return db.alone(async () => {
    const hasUsers = (await db.sql.get('select 1 from users limit 1')) !== undefined
    const found = { stored: await listKeys(db), hasUsers }
    return authSecretKey === null ? fromHome(db, found, options) : fromDatabase(db, found, { ...options, authSecretKey })
  })
}

/**
 * Returns the key files of the home path that a backup of this database needs; none if the keys are stored in the database.
 * Throws if API keys in the database need a file that is missing.
 */
export async function findKeyFiles(db: Queryable, homePath: string): Promise<string[]> {
  const tables = await listTables(db)
  const stored = tables.includes('server_keys') ? await listKeys(db) : []
  if (stored.some(({ wrapped }) => wrapped !== null)) return []
  const found = findKeys(homePath)
  for (const { name, fingerprint } of stored) {
    const key = found[name] ?? null
    if (key === null || fingerprintOf(key) !== fingerprint) throw otherKeys(homePath, name, key !== null)
  }
  const hasUsers = tables.includes('users') && (await db.sql.get('select 1 from users limit 1')) !== undefined
  if (hasUsers) checkEncryptionKey(homePath)
  return KEY_FILES.map(name => join(homePath, name)).filter(path => existsSync(path))
}

type KeyName = 'encryption' | 'signing'

interface StoredKey {
  name: KeyName
  fingerprint: string
  wrapped: string | null
}

const listKeys = (db: Queryable) => db.sql.all<StoredKey>('select name, fingerprint, wrapped from server_keys order by name')

const storeKey = (db: Queryable, { name, fingerprint, wrapped }: StoredKey, now: string) =>
  db.sql.run(
    `insert into server_keys (name, fingerprint, wrapped, inserted_at) values (?, ?, ?, ?)
     on conflict (name) do update set fingerprint = excluded.fingerprint, wrapped = excluded.wrapped, inserted_at = excluded.inserted_at`,
    [name, fingerprint, wrapped, now],
  )

/** A plain hash is safe because keys are 32 random bytes, which cannot be guessed. */
const fingerprintOf = (key: Uint8Array) => createHash('sha256').update('postil key fingerprint').update(key).digest('base64url')

async function fromDatabase(
  db: Queryable,
  { stored, hasUsers }: KeyState,
  options: SharedSecretsOptions & { authSecretKey: string },
): Promise<Secrets> {
  const { authSecretKey, homePath, now } = options
  const known = stored.find(({ name }) => name === 'encryption')
  const signing = new TextEncoder().encode(authSecretKey)
  if (known?.wrapped != null) return { signing, encryption: unwrap(known.wrapped, authSecretKey) }
  const encryption = chooseEncryption(known, hasUsers, homePath)
  await storeKey(
    db,
    { name: 'encryption', fingerprint: fingerprintOf(encryption), wrapped: wrap(encryption, authSecretKey) },
    now,
  )
  await db.sql.run("delete from server_keys where name = 'signing'")
  if (known) {
    options.tell(
      `The encryption key in ${homePath} is now also in the database, encrypted with SERVICE_AUTH_SECRET_KEY. Other processes need that setting only.`,
    )
  }
  return { signing, encryption }
}

/** Prefers the key of the home path, because existing API keys may be encrypted with it. */
function chooseEncryption(known: StoredKey | undefined, hasUsers: boolean, homePath: string): Uint8Array {
  const { encryption = null } = findKeys(homePath)
  if (known === undefined && !hasUsers) return encryption ?? new Uint8Array(randomBytes(32))
  if (encryption !== null && (known === undefined || fingerprintOf(encryption) === known.fingerprint)) return encryption
  throw new OperatorError(
    `The encryption key of this database is a file in the home path of the server that made it, and ${homePath} does not have it. ` +
      'Start that server once with SERVICE_AUTH_SECRET_KEY: it stores the key in the database. After that, others start with the same setting. ' +
      'If that server is gone, restore encryption.key from a backup first.',
  )
}

async function fromHome(db: Queryable, { stored, hasUsers }: KeyState, options: SharedSecretsOptions): Promise<Secrets> {
  const { homePath, tell, now } = options
  if (stored.some(({ wrapped }) => wrapped !== null)) {
    throw new OperatorError(
      'The keys of this database are stored in it, encrypted with SERVICE_AUTH_SECRET_KEY. Set it to the value that the other processes have.',
    )
  }
  const found = findKeys(homePath)
  for (const { name, fingerprint } of stored) {
    const key = found[name] ?? null
    if (key === null || fingerprintOf(key) !== fingerprint) throw otherKeys(homePath, name, key !== null)
  }
  const secrets = openSecrets(homePath, null, { hasUsers, tell })
  if (stored.length > 0) return secrets
  for (const name of ['encryption', 'signing'] as const) {
    await storeKey(db, { name, fingerprint: fingerprintOf(secrets[name]), wrapped: null }, now)
  }
  return secrets
}

const otherKeys = (homePath: string, name: KeyName, isThere: boolean) =>
  new OperatorError(
    `${homePath} has ${isThere ? `another ${name}.key` : `no ${name}.key`}, and this database is used with the keys of another home path: ` +
      'API keys and sessions of one server would not work with the other. Give all processes the same SERVICE_AUTH_SECRET_KEY, ' +
      'beginning with the server that has the keys, or the same SERVICE_HOME_PATH.',
  )

const SALT_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16

const wrappingKey = (secret: string, salt: Uint8Array) => Buffer.from(hkdfSync('sha256', secret, salt, 'postil wrapped key', 32))

/** Returns salt, initialization vector, authentication tag and encrypted key. */
function wrap(key: Uint8Array, secret: string): string {
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)]
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(secret, salt), iv)
  const sealed = Buffer.concat([cipher.update(key), cipher.final()])
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed]).toString('base64')
}

function unwrap(wrapped: string, secret: string): Uint8Array {
  const bytes = Buffer.from(wrapped, 'base64')
  const [ivAt, tagAt, sealedAt] = [SALT_BYTES, SALT_BYTES + IV_BYTES, SALT_BYTES + IV_BYTES + TAG_BYTES]
  const decipher = createDecipheriv('aes-256-gcm', wrappingKey(secret, bytes.subarray(0, ivAt)), bytes.subarray(ivAt, tagAt), {
    authTagLength: TAG_BYTES,
  })
  try {
    decipher.setAuthTag(bytes.subarray(tagAt, sealedAt))
    return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(sealedAt)), decipher.final()]))
  } catch (error) {
    throw new OperatorError(
      'SERVICE_AUTH_SECRET_KEY is not the one that the keys in this database are encrypted with. Give every process of a deployment the same one.',
      { cause: error },
    )
  }
}
