/** A version that is incremented with every change of a user's password or role, which revokes all earlier tokens. */
import type { Queryable } from '../database.ts'

export async function up(db: Queryable): Promise<void> {
  await db.sql.run('alter table users add column credentials_version integer not null default 1')
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('alter table users drop column credentials_version')
}
