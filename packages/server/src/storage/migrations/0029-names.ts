/**
 * Hashes of the skeletons of names, to find names that look alike, and a mark for people who never were members of a dataset's
 * workspace. Names that look alike already stay as they are, so the columns are not unique.
 */
import { hashSkeleton } from '../../lib/skeleton-hash.ts'
import type { Queryable } from '../database.ts'

const NAMES_PER_BATCH = 1_000

const COLUMNS = [
  { table: 'users', name: 'username', skeleton: 'username_skeleton' },
  { table: 'workspaces', name: 'name', skeleton: 'name_skeleton' },
]

export async function up(db: Queryable): Promise<void> {
  for (const { table, name, skeleton } of COLUMNS) {
    await db.sql.run(`alter table ${table} add column ${skeleton} text`)
    for (let after = ''; ; ) {
      const where = table === 'users' ? "id > ? and role <> 'deleted'" : 'id > ?'
      const text = `select id, ${name} as name from ${table} where ${where} order by id limit ?`
      const rows = await db.sql.all<{ id: string; name: string }>(text, [after, NAMES_PER_BATCH])
      await db.sql.runEach(
        `update ${table} set ${skeleton} = ? where id = ?`,
        rows.map(row => [hashSkeleton(row.name), row.id]),
      )
      if (rows.length < NAMES_PER_BATCH) break
      after = rows.at(-1)?.id ?? ''
    }
    await db.sql.run(`create index ${table}_by_skeleton on ${table} (${skeleton})`)
  }
  // Null for everyone so far, because the past memberships of a user are not stored.
  await db.sql.run('alter table datasets_users add column never_member integer')
}

export async function down(db: Queryable): Promise<void> {
  await db.sql.run('alter table datasets_users drop column never_member')
  for (const { table, skeleton } of COLUMNS) {
    await db.sql.run(`drop index ${table}_by_skeleton`)
    await db.sql.run(`alter table ${table} drop column ${skeleton}`)
  }
}
