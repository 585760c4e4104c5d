/**
 * Users can be deactivated, and deleted ones can leave their responses under a pseudonym.
 *
 * The release before knows neither. Going down hides pseudonyms there, and takes password and API key from deactivated users, so that they
 * do not come in again. Going up finds the pseudonyms; deactivated users then need a new password and a new key.
 */
import { randomBytes } from 'node:crypto'
import type { Queryable } from '../database.ts'

const TO_PSEUDONYMS = "update users set role = 'pseudonym' where role = 'deleted' and username like 'deleted-user-%'"
const TO_DELETED = "update users set role = 'deleted' where role = 'pseudonym'"

/** Begins as the hash of a key does, so that a start does not hash the key anew. */
const END_KEYS = `update users set api_key_hash = 'hmac:deactivated ' || id
  where deactivated_at is not null and api_key_hash like 'hmac:%'`

const END_PASSWORDS = "update users set password_hash = ? where deactivated_at is not null and password_hash like '$argon2%'"

const base64 = (length: number) => randomBytes(length).toString('base64').replaceAll('=', '')

/** A well-formed hash of a password that nobody knows. */
const unknownPasswordHash = () => `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`

export async function up(db: Queryable): Promise<void> {
  await db.sql.run('alter table users add column deactivated_at text')
  await db.sql.run(TO_PSEUDONYMS)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run(TO_DELETED)
  await db.sql.run(END_KEYS)
  await db.sql.run(END_PASSWORDS, [unknownPasswordHash()])
  // The older release does not know this job.
  await db.sql.run("delete from jobs where name = 'purge-flags'")
  await db.sql.run('alter table users drop column deactivated_at')
}
