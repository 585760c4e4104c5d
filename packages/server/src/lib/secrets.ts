/**
 * The server's own secrets: made once, kept beside the database with mode 0600. API keys are found by a keyed hash and
 * shown by decrypting them, so that a stolen database alone opens nothing.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Secrets {
  /** Signs tokens. */
  signing: Uint8Array
  /** Hashes and encrypts API keys. */
  encryption: Uint8Array
}

export function openSecrets(home: string, signingKey: string | null): Secrets {
  return {
    signing: signingKey === null ? readOrMake(join(home, 'signing.key')) : new TextEncoder().encode(signingKey),
    encryption: readOrMake(join(home, 'encryption.key')),
  }
}

function readOrMake(path: string): Uint8Array {
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx', flush: true })
  chmodSync(path, 0o600)
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64')
  if (key.length < 32) throw new Error(`${path} does not hold a key of 32 bytes; restore it from a backup`)
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
