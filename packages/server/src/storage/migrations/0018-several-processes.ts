/** Data that several processes on one database share: password attempts, and the server's keys. */
import type { Queryable } from '../database.ts'

export async function up(db: Queryable): Promise<void> {
  // Attempts need not survive a crash of the database, and sign-ins should not wait for disk writes.
  const kind = db.dialect.name === 'postgres' ? 'unlogged table' : 'table'
  await db.sql.run(`create ${kind} sign_in_attempts (name text primary key, forgotten_at bigint not null, familiar_at bigint)`)
  await db.sql.run(
    `create table server_keys (name text primary key, fingerprint text not null, wrapped text, inserted_at text not null)`,
  )
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table server_keys')
  await db.sql.run('drop table sign_in_attempts')
}
