/** `postil server backup`: the database and its keys in a new folder, which a server can be started on. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { checkEncryptionKey, hasKeys, KEY_FILES } from '../lib/secrets.ts'
import { syncFile } from '../lib/sync-file.ts'
import { type BackupSource, openBackupSource } from '../storage/backup.ts'
import { checkDatabaseFile } from '../storage/database-file.ts'
import { findStorageFailure } from '../storage/storage-failure.ts'
import { hasStoredUsers } from '../storage/stored-users.ts'
import { findDatabaseFile, noDatabase, withStorageErrors } from './open-home.ts'

const say = (text: string) => void process.stdout.write(text)

const WITH_POSTGRES =
  'This command copies an SQLite file, and SERVICE_DATABASE_URL names a PostgreSQL database. Back that up with pg_dump, ' +
  `and copy the keys (${KEY_FILES.join(', ')}) from the home path. docs/guide/postgresql.md shows how.`

export async function backup(given: string): Promise<number> {
  const config = readConfig()
  if (config.databaseUrl !== null) throw new OperatorError(WITH_POSTGRES)
  return withStorageErrors(config, async () => {
    const folder = resolve(given)
    const file = findDatabaseFile(config)
    if (checkDatabaseFile(file, { hasKeys: hasKeys(config.homePath) }) === 'absent') throw noDatabase(file)
    if (await hasStoredUsers(config)) checkEncryptionKey(config.homePath)
    checkTarget(folder)
    const source = openBackupSource(file, config.sqliteTimeoutSeconds * 1000)
    try {
      const rows = await copyInto(folder, source, config)
      tellDone(folder, source.bytes, rows)
    } finally {
      source.close()
    }
    return 0
  })
}

function checkTarget(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found && (!found.isDirectory() || readdirSync(folder).length > 0)) {
    throw new OperatorError(
      `${folder} is not an empty folder. A backup needs a folder of its own: name one that does not exist yet.`,
    )
  }
}

/** Everything under another name first: a folder of the given name is a complete backup. */
async function copyInto(folder: string, source: BackupSource, config: Config): Promise<Map<string, number>> {
  const unfinished = join(dirname(folder), `.${basename(folder)}.unfinished-${process.pid}`)
  const stop = openStop()
  try {
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    checkSpace(folder, unfinished, source.bytes)
    const database = join(unfinished, 'postil.db')
    const rows = await source.copyTo(database, done => {
      stop.check()
      showProgress(done)
    })
    for (const name of KEY_FILES.filter(name => existsSync(join(config.homePath, name)))) {
      copyFileSync(join(config.homePath, name), join(unfinished, name))
    }
    for (const name of readdirSync(unfinished)) {
      chmodSync(join(unfinished, name), 0o600)
      syncFile(join(unfinished, name))
    }
    syncFile(unfinished)
    stop.check()
    if (existsSync(folder)) rmdirSync(folder)
    renameSync(unfinished, folder)
    syncFile(dirname(folder))
    return rows
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (findStorageFailure(error)?.code !== 'storage_full') throw error
    throw new OperatorError(`No space is left for the backup ${folder}: it needs ${toMb(source.bytes)}. Nothing was kept of it.`)
  } finally {
    stop.release()
  }
}

function checkSpace(folder: string, unfinished: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(unfinished)
  if (bavail * bsize >= bytes) return
  throw new OperatorError(
    `The backup ${folder} needs ${toMb(bytes)}, and its disk has ${toMb(bavail * bsize)} left. Free some space, or choose another disk.`,
  )
}

const toMb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** A signal ends the copy after its present step, so that what was written is removed. */
function openStop() {
  let signal: string | null = null
  const onSignal = (name: string) => {
    signal = name
  }
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, onSignal)
  return {
    check: () => {
      if (signal !== null) throw new OperatorError(`Stopped by ${signal}. Nothing was kept of the backup.`)
    },
    release: () => {
      for (const name of ['SIGTERM', 'SIGINT']) process.off(name, onSignal)
    },
  }
}

/** One line that is overwritten, on a terminal only. */
function showProgress(done: number): void {
  if (process.stdout.isTTY) say(`\rCopying: ${Math.floor(done * 100)} %`)
}

function tellDone(folder: string, bytes: number, rows: ReadonlyMap<string, number>): void {
  const counts = ['users', 'datasets', 'records', 'responses'].map(table => `${rows.get(table) ?? 0} ${table}`)
  const lines = [
    `${process.stdout.isTTY ? '\r' : ''}Backed up ${toMb(bytes)} to ${folder} and checked it: ${counts.join(', ')}.`,
    'It holds the keys of the server: keep it as safe as a password.',
    '',
    'To restore, stop the server, then either',
    `  - start it on the backup: SERVICE_HOME_PATH=${folder}, without SERVICE_DATABASE_URL; or`,
    '  - copy all files of the backup over those of the data folder, and remove `postil.db-wal` and `postil.db-shm` there.',
  ]
  say(`${lines.join('\n')}\n`)
}
