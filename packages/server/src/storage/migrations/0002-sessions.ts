/** Browser sessions. The cookie contains a secret; only its hash is stored. */
import type { Queryable } from '../database.ts'

const STATEMENTS = [
  `create table sessions (
    id text primary key, user_id text not null references users (id) on delete cascade, secret_hash text not null unique,
    user_agent text, inserted_at text not null, last_seen_at text not null, expires_at text not null
  )`,
  'create index sessions_of_user on sessions (user_id, last_seen_at)',
  'create index sessions_by_expiry on sessions (expires_at)',
]

export async function up(db: Queryable): Promise<void> {
  for (const statement of STATEMENTS) await db.sql.run(statement)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table sessions')
}
