/**
 * Users can be deactivated, and responses of deleted users can be kept under a pseudonym.
 *
 * The previous release supports neither. The downgrade hides pseudonyms there, and invalidates passwords and API keys of
 * deactivated users, so that they cannot sign in. The upgrade restores the pseudonyms; deactivated users then need a new password
 * and a new key.
 */
import { randomBytes } from 'node:crypto'
import type { Queryable } from '../database.ts'

const TO_PSEUDONYMS = "update users set role = 'pseudonym' where role = 'deleted' and username like 'deleted-user-%'"
const TO_DELETED = "update users set role = 'deleted' where role = 'pseudonym'"

/** Has the prefix of a key hash, so that the server does not hash it again at startup. */
const END_KEYS = `update users set api_key_hash = 'hmac:deactivated ' || id
  where deactivated_at is not null and api_key_hash like 'hmac:%'`

const END_PASSWORDS = "update users set password_hash = ? where deactivated_at is not null and password_hash like '$argon2%'"

const base64 = (length: number) => randomBytes(length).toString('base64').replaceAll('=', '')

/** Returns a well-formed hash that no known password matches. */
const unknownPasswordHash = () => `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`

export async function up(db: Queryable): Promise<void> {
  await db.sql.run('alter table users add column deactivated_at text')
  await db.sql.run(TO_PSEUDONYMS)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run(TO_DELETED)
  await db.sql.run(END_KEYS)
  await db.sql.run(END_PASSWORDS, [unknownPasswordHash()])
  // The older release does not support this job.
  await db.sql.run("delete from jobs where name = 'purge-flags'")
  await db.sql.run('alter table users drop column deactivated_at')
}
