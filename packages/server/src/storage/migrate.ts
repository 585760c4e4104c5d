/**
 * Moves a database between revisions, up or down, each step in its own transaction, and refuses one that is not ours.
 */
import type { Database, Queryable } from './database.ts'
import * as first from './migrations/0001-first.ts'
import * as sessions from './migrations/0002-sessions.ts'
import * as responseHistory from './migrations/0003-response-history.ts'
import * as flagsAndComments from './migrations/0004-flags-and-comments.ts'
import * as answersFound from './migrations/0005-answers-found.ts'
import * as credentialsVersion from './migrations/0006-credentials-version.ts'

interface Migration {
  name: string
  title: string
  /** Releases that ship this revision as their newest. */
  tags: string[]
  up(db: Queryable): Promise<void>
  down(db: Queryable): Promise<void>
}

export const MIGRATIONS: Migration[] = [
  { name: '0001', title: 'the first schema', tags: ['0.1'], up: first.up, down: first.down },
  { name: '0002', title: 'sessions of browsers', tags: [], up: sessions.up, down: sessions.down },
  { name: '0003', title: 'history of responses, and bulk jobs', tags: [], up: responseHistory.up, down: responseHistory.down },
  { name: '0004', title: 'flags and comments on records', tags: [], up: flagsAndComments.up, down: flagsAndComments.down },
  { name: '0005', title: 'more answers can be filtered by', tags: [], up: answersFound.up, down: answersFound.down },
  { name: '0006', title: 'tokens end with a password', tags: [], up: credentialsVersion.up, down: credentialsVersion.down },
]

export class MigrationError extends Error {}

export async function listAppliedRevisions(db: Queryable): Promise<string[]> {
  if (!(await listTables(db)).includes('revisions')) return []
  const rows = await db.kysely.selectFrom('revisions').select('name').orderBy('name').execute()
  return rows.map(row => row.name)
}

/** Brings the database to `target`: `head`, a revision, a release tag, or `base` for none. */
export async function migrate(
  db: Database,
  target: string,
  now: () => string,
  tell: (line: string) => void = () => {},
): Promise<void> {
  await checkIsOurs(db)
  await db.sql.run('create table if not exists revisions (name text primary key, applied_at text not null)')
  const applied = await listAppliedRevisions(db)
  const unknown = applied.filter(name => !MIGRATIONS.some(migration => migration.name === name))
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database is at revision ${unknown.at(-1)}, which this release does not know. Use the release that wrote it, or a newer one.`,
    )
  }
  const wanted = targetCount(target)
  for (const migration of MIGRATIONS.slice(applied.length, wanted)) {
    tell(`up ${migration.name} ${migration.title}`)
    await db.transaction(async tx => {
      await migration.up(tx)
      await tx.kysely.insertInto('revisions').values({ name: migration.name, applied_at: now() }).execute()
    })
  }
  for (const migration of MIGRATIONS.slice(wanted, applied.length).reverse()) {
    tell(`down ${migration.name} ${migration.title}`)
    await db.transaction(async tx => {
      await migration.down(tx)
      await tx.kysely.deleteFrom('revisions').where('name', '=', migration.name).execute()
    })
  }
}

function targetCount(target: string): number {
  if (target === 'head') return MIGRATIONS.length
  if (target === 'base') return 0
  const position = MIGRATIONS.findIndex(migration => migration.name === target || migration.tags.includes(target))
  if (position >= 0) return position + 1
  const known = MIGRATIONS.flatMap(migration => [migration.name, ...migration.tags])
  throw new MigrationError(`\`${target}\` is no revision. Revisions: head, base, ${known.join(', ')}`)
}

/** Refuses a database that another program made, before anything in it is touched. */
async function checkIsOurs(db: Queryable): Promise<void> {
  const tables = await listTables(db)
  if (tables.length === 0 || tables.includes('revisions')) return
  const owner = tables.includes('alembic_version') ? 'an Argilla server' : 'another program'
  throw new MigrationError(
    `The database holds tables that ${owner} made (${tables.slice(0, 5).join(', ')}). Nothing in it was touched. ` +
      'Point SERVICE_DATABASE_URL or SERVICE_HOME_PATH to an empty place; to take over an Argilla server’s data use `postil server import-argilla`.',
  )
}

async function listTables(db: Queryable): Promise<string[]> {
  const text =
    db.dialect.name === 'sqlite'
      ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
      : 'select table_name as name from information_schema.tables where table_schema = current_schema() order by table_name'
  return (await db.sql.all<{ name: string }>(text)).map(row => row.name)
}
