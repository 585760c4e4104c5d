/** Accounts at sign-in providers. */
import type { Queryable } from '../database.ts'

const STATEMENTS = [
  `create table user_identities (
    provider text not null, issuer text not null, subject text not null,
    user_id text not null references users (id) on delete cascade, inserted_at text not null, last_used_at text not null,
    primary key (provider, issuer, subject)
  )`,
  'create index identities_of_user on user_identities (user_id)',
  'create table used_sign_ins (state_hash text primary key, expires_at text not null)',
  'create index used_sign_ins_by_expiry on used_sign_ins (expires_at)',
]

export async function up(db: Queryable): Promise<void> {
  for (const statement of STATEMENTS) await db.sql.run(statement)
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('drop table used_sign_ins')
  await db.sql.run('drop table user_identities')
}
