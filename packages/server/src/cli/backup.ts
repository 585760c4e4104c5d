/** `postil server backup`: copies the database and its keys into a new folder, with checksums. */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { checkEncryptionKey, hasKeys, KEY_FILES } from '../lib/secrets.ts'
import { findRevision, openBackupSource } from '../storage/backup.ts'
import { checkDatabaseFile } from '../storage/database-file.ts'
import { hasStoredUsers } from '../storage/stored-users.ts'
import { type BackupSource, checkTarget, writeBackup } from './backup-folder.ts'
import { openPostgresBackup } from './backup-postgres.ts'
import { type CopyFacts, DATABASE, DUMP } from './manifest.ts'
import { findDatabaseFile, noDatabaseError, withStorageErrors } from './open-home.ts'

const say = (text: string) => void process.stdout.write(text)

interface BackupOptions {
  /** Folder of `pg_dump` and `pg_restore`; by default those on PATH. */
  postgresTools?: string
}

export async function backup(given: string, { postgresTools }: BackupOptions): Promise<number> {
  const config = readConfig()
  const { databaseUrl } = config
  return withStorageErrors(config, async () => {
    const folder = resolve(given)
    const source =
      databaseUrl === null
        ? await openSqliteBackup(config)
        : await openPostgresBackup({ ...config, databaseUrl, tools: postgresTools ?? null, showProgress })
    try {
      checkTarget(folder)
      tellDone(folder, await writeBackup(folder, source))
    } finally {
      await source.close()
    }
    return 0
  })
}

async function openSqliteBackup(config: Config): Promise<BackupSource> {
  const { homePath } = config
  const file = findDatabaseFile(config)
  if (checkDatabaseFile(file, { hasKeys: hasKeys(homePath) }) === 'absent') throw noDatabaseError(file)
  if (await hasStoredUsers(config)) checkEncryptionKey(homePath)
  const source = openBackupSource(file, config.sqliteTimeoutSeconds * 1000)
  return {
    keys: KEY_FILES.map(name => join(homePath, name)).filter(path => existsSync(path)),
    copyTo: async (folder, stop) => {
      checkSpace(folder, source.bytes)
      const database = join(folder, DATABASE)
      const rows = await source.copyTo(database, done => {
        stop.check()
        showProgress(`${Math.floor(done * 100)} %`)
      })
      return { revision: findRevision(database), rows: Object.fromEntries(rows) }
    },
    close: source.close,
  }
}

function checkSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= bytes) return
  throw new OperatorError(
    `The backup needs ${toMb(bytes)}, and its disk has ${toMb(bavail * bsize)} left. Free some space, or choose another disk.`,
  )
}

const toMb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Overwrites one line; only on a terminal. */
function showProgress(done: string): void {
  if (process.stdout.isTTY) say(`\rCopying: ${done}`)
}

function tellDone(folder: string, { rows, postgres }: CopyFacts): void {
  const { size } = statSync(join(folder, postgres ? DUMP : DATABASE))
  const counts = ['users', 'datasets', 'records', 'responses'].map(table => `${rows[table] ?? 0} ${table}`)
  const hasKeyFiles = KEY_FILES.some(name => existsSync(join(folder, name)))
  const lines = [
    `${process.stdout.isTTY ? '\r' : ''}Backed up ${toMb(size)} to ${folder} and checked it: ${counts.join(', ')}.`,
    hasKeyFiles
      ? 'It holds the keys of the server: keep it as safe as a password.'
      : 'Its API keys can be read with the SERVICE_AUTH_SECRET_KEY of the server only: keep that too.',
    '',
    ...(postgres
      ? [`To restore, stop all servers, then run \`postil server restore ${folder}\`.`]
      : [
          `To restore, stop the server, then run \`postil server restore ${folder}\`; or`,
          `start it on the backup: SERVICE_HOME_PATH=${folder}, without SERVICE_DATABASE_URL.`,
        ]),
  ]
  say(`${lines.join('\n')}\n`)
}
