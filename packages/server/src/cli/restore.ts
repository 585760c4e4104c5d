/** `postil server restore`: restores a backup into the data folder of a server. */
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { lockDatabase } from '../lib/lock.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { KEY_FILES } from '../lib/secrets.ts'
import { syncFile } from '../lib/sync-file.ts'
import { toRealFile } from '../storage/database-file.ts'
import { LAST_COMMIT_SUFFIX } from '../storage/last-commit.ts'
import { checkFiles, DATABASE, loadManifest, type Manifest } from './manifest.ts'
import { withStorageErrors } from './open-home.ts'
import { copyPrivate, moveAside } from './restore-files.ts'
import { restorePostgres } from './restore-postgres.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

interface RestoreOptions {
  force: boolean
  /** Folder of `pg_restore`; by default the one on PATH. */
  postgresTools?: string
}

/** Without `force`, refuses if there is a database or a key. With it, existing files are moved aside. */
export function restore(given: string, { force, postgresTools }: RestoreOptions): Promise<number> {
  const config = readConfig()
  const { databaseUrl } = config
  return withStorageErrors(config, async () => {
    const folder = resolve(given)
    const manifest = loadManifest(folder)
    checkKind(folder, manifest, config)
    await checkFiles(folder, manifest)
    if (databaseUrl !== null && manifest.postgres) {
      const { postgres } = manifest
      const tools = postgresTools ?? null
      tellDone(
        manifest,
        config,
        await restorePostgres(folder, { manifest: { ...manifest, postgres }, config, databaseUrl, force, tools }),
      )
      return 0
    }
    for (const path of [config.homePath, dirname(config.databaseFile)]) mkdirSync(path, { recursive: true, mode: 0o700 })
    const file = toRealFile(config.databaseFile)
    const release = lockDatabase(file)
    try {
      const replaced = replaceFiles(folder, { manifest, config, file, force })
      tellDone(manifest, config, replaced)
    } finally {
      release()
    }
    return 0
  })
}

function checkKind(folder: string, { postgres }: Manifest, { databaseUrl }: Config): void {
  if ((postgres === undefined) === (databaseUrl === null)) return
  const [its, ours] = postgres ? ['PostgreSQL', 'SQLite'] : ['SQLite', 'PostgreSQL']
  const advice = postgres
    ? 'Name a PostgreSQL database in SERVICE_DATABASE_URL.'
    : 'Restore it without SERVICE_DATABASE_URL, and copy datasets over with `postil datasets export` and `import`.'
  throw new OperatorError(`The backup ${folder} is of ${its}, and the settings name a database of ${ours}. ${advice}`)
}

interface Target {
  manifest: Manifest
  config: Config
  file: string
  force: boolean
}

/** Returns the folder with the previous files, or null if there were none. */
function replaceFiles(folder: string, { manifest, config, file, force }: Target): string | null {
  const pathOf = (name: string) => (name === DATABASE ? file : join(config.homePath, name))
  const names = Object.keys(manifest.files)
  const old = [...['', '-wal', '-shm', '-journal'].map(suffix => file + suffix), ...KEY_FILES.map(pathOf)].filter(path =>
    existsSync(path),
  )
  if (old.length > 0 && !force) {
    throw new OperatorError(
      `There is a server's data already: ${old.join(', ')}. Nothing was changed. ` +
        'Choose another place with SERVICE_HOME_PATH, or add --force, which moves these files aside.',
    )
  }
  const unfinished = names.map(name => `${pathOf(name)}.restoring`)
  try {
    checkSpace(dirname(file), manifest.files[DATABASE]?.bytes ?? 0)
    for (const name of names) copyPrivate(join(folder, name), `${pathOf(name)}.restoring`)
    // It belongs to the old database.
    const lastCommit = [`${file}${LAST_COMMIT_SUFFIX}`].filter(path => existsSync(path))
    const aside = old.length === 0 ? null : moveAside([...old, ...lastCommit], config.homePath)
    for (const name of names) renameSync(`${pathOf(name)}.restoring`, pathOf(name))
    for (const path of new Set([config.homePath, dirname(file)])) syncFile(path)
    return aside
  } finally {
    for (const path of unfinished) rmSync(path, { force: true })
  }
}

function checkSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= bytes) return
  const toMb = (count: number) => `${(count / 1e6).toFixed(1)} MB`
  throw new OperatorError(
    `The backup needs ${toMb(bytes)}, and the disk of ${folder} has ${toMb(bavail * bsize)} left. Nothing was changed.`,
  )
}

function tellDone({ made_at, version, rows, postgres }: Manifest, config: Config, replaced: string | null): void {
  const counts = ['users', 'datasets', 'records', 'responses'].map(table => `${rows[table] ?? 0} ${table}`)
  say(
    `Restored the backup of ${made_at} (Postil ${version}) to ${postgres ? 'the PostgreSQL database' : config.homePath}: ${counts.join(', ')}.`,
  )
  if (replaced !== null) say(`What was there before is in ${replaced}. Delete it when you do not need it any more.`)
  if (config.elastic) say('Build the search index anew: `postil server search-engine reindex`.')
  say('Start the server: `postil server start`. To compare index and records: `postil server search-engine verify`.')
}
