/**
 * Migrates a database up or down between revisions, each step in its own transaction, and rejects databases of other programs.
 */
import { CompiledQuery } from 'kysely'
import { OperatorError } from '../lib/operator-error.ts'
import type { Database, Queryable } from './database.ts'
import * as first from './migrations/0001-first.ts'
import * as sessions from './migrations/0002-sessions.ts'
import * as responseHistory from './migrations/0003-response-history.ts'
import * as flagsAndComments from './migrations/0004-flags-and-comments.ts'
import * as answersFound from './migrations/0005-answers-found.ts'
import * as credentialsVersion from './migrations/0006-credentials-version.ts'
import * as earlierWrites from './migrations/0007-earlier-writes.ts'
import * as changeLog from './migrations/0008-change-log.ts'
import * as textSegments from './migrations/0009-text-segments.ts'
import * as searchInMemory from './migrations/0010-search-in-memory.ts'
import * as narrowRows from './migrations/0011-narrow-rows.ts'
import * as webhooks from './migrations/0012-webhooks.ts'
import * as identities from './migrations/0013-identities.ts'
import * as accounts from './migrations/0014-accounts.ts'
import * as auditLog from './migrations/0015-audit-log.ts'
import * as deletedRecords from './migrations/0016-deleted-records.ts'
import * as plainBytes from './migrations/0017-plain-bytes.ts'
import * as severalProcesses from './migrations/0018-several-processes.ts'
import * as longExternalIds from './migrations/0019-long-external-ids.ts'
import * as legacy from './migrations/0022-legacy.ts'
import * as legacyChanges from './migrations/0024-legacy-changes.ts'
import * as files from './migrations/0025-files.ts'
import * as exports from './migrations/0026-exports.ts'
import * as invitations from './migrations/0027-invitations.ts'
import * as questionsOrder from './migrations/0028-order-of-questions.ts'
import * as names from './migrations/0029-names.ts'

export interface Migration {
  name: string
  title: string
  /** Releases whose newest revision is this one. */
  tags: string[]
  /** `tell` receives the progress of a long migration. */
  up(db: Queryable, tell: (line: string) => void): Promise<void>
  down(db: Queryable, tell: (line: string) => void): Promise<void>
}

export const MIGRATIONS: Migration[] = [
  { name: '0001', title: 'the first schema', tags: ['0.1'], up: first.up, down: first.down },
  { name: '0002', title: 'sessions of browsers', tags: [], up: sessions.up, down: sessions.down },
  { name: '0003', title: 'history of responses, and bulk jobs', tags: [], up: responseHistory.up, down: responseHistory.down },
  { name: '0004', title: 'flags and comments on records', tags: [], up: flagsAndComments.up, down: flagsAndComments.down },
  { name: '0005', title: 'more answers can be filtered by', tags: [], up: answersFound.up, down: answersFound.down },
  { name: '0006', title: 'tokens end with a password', tags: [], up: credentialsVersion.up, down: credentialsVersion.down },
  { name: '0007', title: 'names of draft writes', tags: [], up: earlierWrites.up, down: earlierWrites.down },
  { name: '0008', title: 'the change log', tags: [], up: changeLog.up, down: changeLog.down },
  { name: '0009', title: 'segments of the text index', tags: [], up: textSegments.up, down: textSegments.down },
  { name: '0010', title: 'search in memory', tags: [], up: searchInMemory.up, down: searchInMemory.down },
  { name: '0011', title: 'narrow rows of records and responses', tags: [], up: narrowRows.up, down: narrowRows.down },
  { name: '0012', title: 'webhooks', tags: [], up: webhooks.up, down: webhooks.down },
  { name: '0013', title: 'accounts at sign-in providers', tags: [], up: identities.up, down: identities.down },
  { name: '0014', title: 'deactivated users', tags: [], up: accounts.up, down: accounts.down },
  { name: '0015', title: 'the audit log', tags: [], up: auditLog.up, down: auditLog.down },
  { name: '0016', title: 'ids of deleted records', tags: [], up: deletedRecords.up, down: deletedRecords.down },
  { name: '0017', title: 'bytes stored as they are', tags: [], up: plainBytes.up, down: plainBytes.down },
  { name: '0018', title: 'several processes', tags: [], up: severalProcesses.up, down: severalProcesses.down },
  { name: '0019', title: 'external ids of any length', tags: [], up: longExternalIds.up, down: longExternalIds.down },
  { name: '0022', title: 'task datasets of the legacy routes', tags: [], up: legacy.up, down: legacy.down },
  { name: '0024', title: 'changes of task datasets', tags: [], up: legacyChanges.up, down: legacyChanges.down },
  { name: '0025', title: 'files', tags: [], up: files.up, down: files.down },
  { name: '0026', title: 'exports', tags: [], up: exports.up, down: exports.down },
  { name: '0027', title: 'invitations', tags: [], up: invitations.up, down: invitations.down },
  { name: '0028', title: 'order of questions', tags: [], up: questionsOrder.up, down: questionsOrder.down },
  { name: '0029', title: 'names that look alike', tags: [], up: names.up, down: names.down },
]

export class MigrationError extends OperatorError {}

export async function listAppliedRevisions(db: Queryable): Promise<string[]> {
  if (!(await listTables(db)).includes('revisions')) return []
  const rows = await db.kysely.selectFrom('revisions').select('name').orderBy('name').execute()
  return rows.map(row => row.name)
}

/**
 * Migrates the database to `target`: `head`, a revision, a release tag, or `base` for an empty schema. A downgrade deletes data
 * that the older schema cannot store (losses.ts lists it), without confirmation.
 */
export function migrate(db: Database, target: string, now: () => string, tell: (line: string) => void = () => {}): Promise<void> {
  return db.alone(() => migrateAlone(db, target, now, tell))
}

async function migrateAlone(db: Database, target: string, now: () => string, tell: (line: string) => void): Promise<void> {
  await checkIsOurs(db)
  await db.sql.run('create table if not exists revisions (name text primary key, applied_at text not null)')
  const { up, down } = await planMigration(db, target)
  if (up.length + down.length === 0) return
  await withoutForeignKeys(db, async () => {
    for (const migration of up) {
      tell(`up ${migration.name} ${migration.title}`)
      await runStep(db, async tx => {
        await migration.up(tx, tell)
        await tx.kysely.insertInto('revisions').values({ name: migration.name, applied_at: now() }).execute()
      })
    }
    for (const migration of down) {
      tell(`down ${migration.name} ${migration.title}`)
      await runStep(db, async tx => {
        await migration.down(tx, tell)
        await tx.kysely.deleteFrom('revisions').where('name', '=', migration.name).execute()
      })
    }
  })
}

/** Returns the steps to `target` in order: either all up, or all down. */
export async function planMigration(db: Queryable, target: string): Promise<{ up: Migration[]; down: Migration[] }> {
  const applied = await listAppliedRevisions(db)
  const unknown = applied.filter(name => !MIGRATIONS.some(migration => migration.name === name))
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database is at revision ${unknown.at(-1)}, which this release does not know. Use the release that wrote it, or a newer one.`,
    )
  }
  const wanted = targetCount(target)
  return { up: MIGRATIONS.slice(applied.length, wanted), down: MIGRATIONS.slice(wanted, applied.length).reverse() }
}

/** Rejects a database with a revision other than this release's, because its tables do not match the queries. */
export async function checkNewest(db: Queryable): Promise<void> {
  const { up } = await planMigration(db, 'head')
  if (up.length === 0) return
  const current = MIGRATIONS.at(-1 - up.length)?.name ?? 'base'
  throw new MigrationError(
    `The database is at revision ${current}, and this release needs ${MIGRATIONS.at(-1)?.name}. ` +
      'Start the server, or run `postil server database migrate`: both bring it up to date.',
  )
}

/**
 * On SQLite, a table is rebuilt by dropping the old one. With foreign keys enabled, that would delete all rows that refer to it.
 * The pragma has no effect inside a transaction, and takes effect when it is prepared, so it must not be a cached statement.
 */
async function withoutForeignKeys(db: Database, work: () => Promise<void>): Promise<void> {
  const turn = async (state: 'on' | 'off') => {
    if (db.dialect.name === 'sqlite') await db.kysely.executeQuery(CompiledQuery.raw(`pragma foreign_keys = ${state}`))
  }
  await turn('off')
  try {
    await work()
  } finally {
    await turn('on')
  }
}

/** Runs one migration in a transaction, which is rolled back if it leaves dangling references. */
function runStep(db: Database, step: (tx: Queryable) => Promise<void>): Promise<void> {
  return db.transaction(async tx => {
    await step(tx)
    if (tx.dialect.name !== 'sqlite') return
    const broken = await tx.sql.all<{ name: string; rows: number }>(
      'select "table" as name, count(*) as rows from pragma_foreign_key_check group by "table" order by "table" limit 20',
    )
    if (broken.length === 0) return
    const tables = broken.map(({ name, rows }) => `${name} (${rows})`).join(', ')
    throw new MigrationError(`Rows would refer to others that do not exist: ${tables}. This step was undone.`)
  })
}

function targetCount(target: string): number {
  if (target === 'head') return MIGRATIONS.length
  if (target === 'base') return 0
  const position = MIGRATIONS.findIndex(migration => migration.name === target || migration.tags.includes(target))
  if (position >= 0) return position + 1
  const known = MIGRATIONS.flatMap(migration => [migration.name, ...migration.tags])
  throw new MigrationError(`\`${target}\` is not a revision. Revisions: head, base, ${known.join(', ')}`)
}

/** Rejects a database of another program before anything in it is changed. */
async function checkIsOurs(db: Queryable): Promise<void> {
  const tables = await listTables(db)
  if (tables.length === 0 || tables.includes('revisions')) return
  const owner = tables.includes('alembic_version') ? 'an Argilla server' : 'another program'
  throw new MigrationError(
    `The database holds tables that ${owner} made (${tables.slice(0, 5).join(', ')}). Nothing in it was touched. ` +
      'Point SERVICE_DATABASE_URL or SERVICE_HOME_PATH to an empty place. ' +
      '`postil server import-argilla --from <database>` brings the data of an Argilla server there.',
  )
}

export async function listTables(db: Queryable): Promise<string[]> {
  const text =
    db.dialect.name === 'sqlite'
      ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
      : 'select table_name as name from information_schema.tables where table_schema = current_schema() order by table_name'
  return (await db.sql.all<{ name: string }>(text)).map(row => row.name)
}
