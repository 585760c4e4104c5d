/** Flags and comments of users on records. */
import type { Queryable } from '../database.ts'

const STATEMENTS = [
  `create table record_flags (
    record_id text not null references records (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    inserted_at text not null, primary key (record_id, user_id)
  )`,
  'create index record_flags_of_user on record_flags (user_id, record_id)',
  `create table record_comments (
    id text primary key, record_id text not null references records (id) on delete cascade,
    user_id text not null references users (id) on delete cascade, body text not null, inserted_at text not null
  )`,
  'create index record_comments_of_record on record_comments (record_id, inserted_at, id)',
  'create index record_comments_of_user on record_comments (user_id)',
]

export async function up(db: Queryable): Promise<void> {
  for (const statement of STATEMENTS) await db.sql.run(statement)
}

export async function down(db: Queryable): Promise<void> {
  for (const name of ['record_comments', 'record_flags']) await db.sql.run(`drop table ${name}`)
}
