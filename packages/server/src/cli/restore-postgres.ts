/** `postil server restore` for PostgreSQL. `pg_restore` writes everything in one transaction. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { KEY_FILES } from '../lib/secrets.ts'
import { syncFile } from '../lib/sync-file.ts'
import { checkPostgres } from '../storage/check-postgres.ts'
import type { Database } from '../storage/database.ts'
import { openDatabase } from '../storage/open-database.ts'
import {
  analyzeTables,
  countTables,
  findTarget,
  listServerConnections,
  moveTables,
  type RestoreTarget,
} from '../storage/restore-target.ts'
import { DUMP, type DumpFacts, type Manifest } from './manifest.ts'
import { findTool, runTool, type Tool } from './postgres-tools.ts'
import { copyPrivate, moveAside } from './restore-files.ts'
import { openStop } from './stop.ts'

interface PostgresRestore {
  manifest: Manifest & { postgres: DumpFacts }
  config: Config
  databaseUrl: string
  force: boolean
  /** Folder of the tools; null to search PATH. */
  tools: string | null
}

/** Returns where the previous data is now, or null if there was none. */
export async function restorePostgres(folder: string, options: PostgresRestore): Promise<string | null> {
  const { postgres } = options.manifest
  const needed = { majorMin: Number.parseInt(postgres.tool_version, 10), of: `what pg_dump ${postgres.tool_version} wrote` }
  const tool = await findTool('pg_restore', options.tools, needed)
  const db = openDatabase(options.config, { user: 'command', readonly: false, cacheMb: 1 })
  try {
    await checkPostgres(db)
    // Servers that start in the meantime wait.
    return await db.alone(() => restoreAlone(db, folder, { ...options, tool }))
  } finally {
    await db.close()
  }
}

type Tools = PostgresRestore & { tool: Tool }

async function restoreAlone(db: Database, folder: string, options: Tools): Promise<string | null> {
  const { manifest, config, force } = options
  const target = await findTarget(db)
  const oldKeys = listOtherKeys(folder, manifest, config.homePath)
  await checkTarget(db, target, options)
  if (target.tables.length + oldKeys.length > 0 && !force) {
    const found = [...(target.tables.length > 0 ? [`${target.tables.length} tables in the database`] : []), ...oldKeys]
    throw new OperatorError(
      `There is a server's data already: ${found.join(', ')}. Nothing was changed. ` +
        'Name an empty database in SERVICE_DATABASE_URL and another SERVICE_HOME_PATH, or add --force, which moves these aside.',
    )
  }
  const keys = KEY_FILES.filter(name => name in manifest.files)
  const pathOf = (name: string) => join(config.homePath, name)
  mkdirSync(config.homePath, { recursive: true, mode: 0o700 })
  try {
    for (const name of keys) copyPrivate(join(folder, name), `${pathOf(name)}.restoring`)
    const schema = await restoreTables(db, join(folder, DUMP), { ...options, target })
    const aside = oldKeys.length === 0 ? null : moveAside(oldKeys, config.homePath)
    for (const name of keys) renameSync(`${pathOf(name)}.restoring`, pathOf(name))
    syncFile(config.homePath)
    const places = [...(schema === null ? [] : [`the schema ${schema} of the database`]), ...(aside === null ? [] : [aside])]
    return places.length === 0 ? null : places.join(' and ')
  } finally {
    for (const name of keys) rmSync(`${pathOf(name)}.restoring`, { force: true })
  }
}

/** Returns the key files that differ from those of the backup. */
function listOtherKeys(folder: string, { files }: Manifest, homePath: string): string[] {
  const isOther = (name: string) =>
    existsSync(join(homePath, name)) && !readFileSync(join(homePath, name)).equals(readFileSync(join(folder, name)))
  return KEY_FILES.filter(name => name in files && isOther(name)).map(name => join(homePath, name))
}

async function checkTarget(db: Database, { schema, tables }: RestoreTarget, { manifest }: Tools): Promise<void> {
  const serving = await listServerConnections(db)
  if (serving.length > 0) {
    throw new OperatorError(
      `Postil processes use the database (connections: ${serving.join(', ')}). Stop all servers and workers first. Nothing was changed.`,
    )
  }
  if (tables.length > 0 && !tables.includes('revisions')) {
    throw new OperatorError(
      `The database holds tables of another program (${tables.slice(0, 5).join(', ')}), which are never moved. Name another database in SERVICE_DATABASE_URL.`,
    )
  }
  if (schema === manifest.postgres.schema) return
  throw new OperatorError(
    `The backup is of the schema ${manifest.postgres.schema}, and this user's tables are in ${schema}. ` +
      `Restore it as a user whose search_path begins with ${manifest.postgres.schema}.`,
  )
}

/** Returns the schema with the previous data, or null if there was none. A failure changes nothing. */
async function restoreTables(db: Database, file: string, options: Tools & { target: RestoreTarget }): Promise<string | null> {
  const { manifest, databaseUrl, tool, target } = options
  const { schema } = target
  const aside = target.tables.length === 0 ? null : toAsideName(new Date())
  const stop = openStop('Nothing was changed.')
  try {
    if (aside !== null) await moveTables(db, { from: schema, to: aside })
    try {
      const args = [
        '--single-transaction',
        '--exit-on-error',
        '--no-owner',
        '--no-privileges',
        '--no-password',
        `--schema=${schema}`,
      ]
      await runTool(tool, [...args, file], { url: databaseUrl, signal: stop.signal })
    } catch (error) {
      if (aside !== null) await moveBack(db, { from: aside, to: schema }, error)
      stop.check()
      throw explain(error, tool, target)
    }
    await checkRows(db, manifest)
    await analyzeTables(db)
    return aside
  } finally {
    stop.release()
  }
}

async function moveBack(db: Database, schemas: { from: string; to: string }, reason: unknown): Promise<void> {
  try {
    await moveTables(db, schemas)
  } catch (error) {
    const why = [reason, error].map(each => (each instanceof Error ? each.message : String(each))).join('\n')
    throw new OperatorError(
      `${why}\nThe restore failed, and the tables that were there could not be moved back: they are in the schema ${schemas.from} of the database. ` +
        'Restore again when the cause is mended; nothing is lost.',
      { cause: error },
    )
  }
}

const toAsideName = (now: Date) => `replaced_${now.toISOString().slice(0, 19).replaceAll(/\D/g, '_')}`

function explain(error: unknown, tool: Tool, { version, major }: RestoreTarget): unknown {
  if (!(error instanceof OperatorError)) return error
  const hint =
    tool.major === major
      ? ''
      : `\nThe server is PostgreSQL ${version}, and pg_restore is of version ${tool.version}: try that of the server.`
  return new OperatorError(`${error.message}\nNothing was changed.${hint}`, { cause: error })
}

async function checkRows(db: Database, { rows }: Manifest): Promise<void> {
  const found = await countTables(db)
  for (const [table, expected] of Object.entries(rows)) {
    if (found.get(table) === expected) continue
    throw new OperatorError(
      `The restored table ${table} has ${found.get(table) ?? 'no'} rows instead of ${expected}. Do not start a server on it; restore another backup.`,
    )
  }
}
