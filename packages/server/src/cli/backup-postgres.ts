/** `postil server backup` for PostgreSQL: `pg_dump` reads the same snapshot in which the rows are counted. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { findKeyFiles } from '../processes/shared-secrets.ts'
import { checkPostgres } from '../storage/check-postgres.ts'
import { openDatabase } from '../storage/open-database.ts'
import { openPostgresSnapshot, type PostgresSnapshot } from '../storage/postgres-snapshot.ts'
import type { BackupSource } from './backup-folder.ts'
import { createRowCounter } from './dump-rows.ts'
import { DUMP } from './manifest.ts'
import { findTool, runTool, type Tool } from './postgres-tools.ts'

interface PostgresSourceOptions extends Config {
  databaseUrl: string
  /** Folder of the tools; null to search PATH. */
  tools: string | null
  showProgress(done: string): void
}

export async function openPostgresBackup(options: PostgresSourceOptions): Promise<BackupSource> {
  const { databaseUrl, tools, showProgress } = options
  const keys = await listKeys(options)
  const snapshot = await openPostgresSnapshot(databaseUrl)
  try {
    const needed = { majorMin: snapshot.major, of: `PostgreSQL ${snapshot.version}` }
    const [dump, restore] = [await findTool('pg_dump', tools, needed), await findTool('pg_restore', tools, needed)]
    return {
      keys,
      copyTo: async (folder, { signal }) => {
        const file = join(folder, DUMP)
        const rows = await withProgress(file, showProgress, async () => {
          // Counted before the dump, because the connection of the snapshot may be closed afterwards and is not needed then.
          const expected = await snapshot.countRows()
          await runTool(dump, [...toDumpArguments(snapshot), `--file=${file}`], { url: databaseUrl, signal })
          return checkDump(restore, file, { expected, signal })
        })
        const { schema, revision, version } = snapshot
        const postgres = { schema, tool_version: dump.version, server_version: version }
        return { revision, rows: Object.fromEntries(rows), postgres }
      },
      close: snapshot.close,
    }
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/** Omits owners and privileges, so that those of the target database apply after a restore. */
const toDumpArguments = ({ id, schema }: PostgresSnapshot) => [
  '--format=custom',
  '--no-owner',
  '--no-privileges',
  `--schema="${schema.replaceAll('"', '""')}"`,
  `--snapshot=${id}`,
  '--no-password',
]

/** Returns the key files that the stored API keys need; empty if the keys are in the database. */
async function listKeys(config: Config): Promise<string[]> {
  const db = openDatabase(config, { user: 'command', readonly: true, cacheMb: 1 })
  try {
    await checkPostgres(db)
    return await findKeyFiles(db, config.homePath)
  } finally {
    await db.close()
  }
}

interface CheckOptions {
  expected: ReadonlyMap<string, number>
  signal: AbortSignal
}

/** Reads the whole dump and compares its row counts with those of the snapshot. */
async function checkDump(restore: Tool, file: string, { expected, signal }: CheckOptions): Promise<ReadonlyMap<string, number>> {
  const counter = createRowCounter()
  await runTool(restore, ['--data-only', '--file=-', file], { url: null, signal, onOutput: counter.add })
  for (const [table, rows] of expected) {
    const found = counter.rows.get(table)
    if (found === rows) continue
    throw new OperatorError(`The dump ${file} has ${found ?? 'no'} rows in ${table} instead of ${rows}. Nothing was kept of it.`)
  }
  return expected
}

const PROGRESS_MS = 500

/** `pg_dump` does not report progress, so the size of its file is shown. */
async function withProgress<T>(file: string, show: (done: string) => void, work: () => Promise<T>): Promise<T> {
  const look = () => show(`${((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1e6).toFixed(1)} MB`)
  const timer = setInterval(look, PROGRESS_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
