/**
 * `postil server doctor`: checks settings, folder, keys, disk, every page of the database, index and clock without changing
 * anything, and prints advice.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DomainError } from '@postil/domain/errors'
import { type Config, ConfigError, readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { KEY_FILES } from '../lib/secrets.ts'
import { checkEngine } from '../search/elastic/check-engine.ts'
import { hasSegments } from '../search/source/store-segment.ts'
import { findDamage } from '../storage/find-damage.ts'
import { findLostCommits } from '../storage/last-commit.ts'
import { listAppliedRevisions, MIGRATIONS, planMigration } from '../storage/migrate.ts'
import { explainStorageFailure } from '../storage/storage-failure.ts'
import { listUnindexed } from '../storage/text-segments.ts'
import { withHome } from './open-home.ts'

type Status = 'ok' | 'warning' | 'failed'

interface Finding {
  check: string
  status: Status
  message: string
  /** Recommended action; null if none is needed. */
  advice: string | null
}

const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message, advice: null })
const warning = (check: string, message: string, advice: string): Finding => ({ check, status: 'warning', message, advice })
const failed = (check: string, message: string, advice: string): Finding => ({ check, status: 'failed', message, advice })

/** Returns exit code 1 if a check failed. Warnings do not count. */
export async function doctor({ json }: { json: boolean }): Promise<number> {
  const findings = await examine()
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(toLines).join(''))
  return findings.some(({ status }) => status === 'failed') ? 1 : 0
}

const MARKS: Record<Status, string> = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' }

const toLines = ({ check, status, message, advice }: Finding) =>
  `${MARKS[status].padEnd(8)} ${check}: ${message}\n${advice === null ? '' : `         -> ${advice}\n`}`

async function examine(): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(problem =>
      failed('settings', problem, 'Correct the setting; docs/reference/settings.md lists all.'),
    )
  }
  const settings = config.warnings.map(line =>
    warning('settings', line, 'Correct the setting; docs/reference/settings.md lists all.'),
  )
  const folder = checkFolder(config)
  const first = [...(settings.length > 0 ? settings : [ok('settings', 'all are valid')]), folder]
  if (folder.status === 'failed') return first
  return [...first, ...checkKeys(config), checkDisk(config), ...(await checkDatabase(config))]
}

function checkFolder({ homePath }: Config): Finding {
  const found = statSync(homePath, { throwIfNoEntry: false })
  if (!found)
    return failed(
      'folder',
      `${homePath} does not exist`,
      'The first start makes it: `postil server start`. Or set SERVICE_HOME_PATH.',
    )
  try {
    accessSync(homePath, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return failed('folder', `this user may not write to ${homePath}`, 'Run as its owner, or change its permissions.')
  }
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    return warning('folder', `others may enter ${homePath}`, `chmod 700 ${homePath}`)
  return ok('folder', homePath)
}

/** Without the encryption key no API key works. If the secret is configured, the keys may be in the database. */
function checkKeys({ homePath, databaseUrl, authSecretKey }: Config): Finding[] {
  const paths = KEY_FILES.map(name => join(homePath, name))
  const open = paths.filter(path => existsSync(path) && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
  const isElsewhere = databaseUrl !== null && authSecretKey !== null
  const missing = isElsewhere
    ? []
    : paths.filter(path => !existsSync(path) && !(authSecretKey !== null && path.endsWith('signing.key')))
  if (open.length + missing.length === 0) return [ok('keys', isElsewhere ? 'in the database' : 'there, and for this user alone')]
  return [
    ...missing.map(path =>
      warning('keys', `${path} is missing`, 'A new server makes it. If there are users, restore it from a backup.'),
    ),
    ...open.map(path => warning('keys', `others may read ${path}`, `chmod 600 ${path}`)),
  ]
}

const LOW_BYTES = 1e9
const FULL_BYTES = 1e8
const toGb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

/** Requires free space of the database's size, which a backup on the same disk and some migrations need. */
function checkDisk({ homePath, databaseFile, databaseUrl }: Config): Finding {
  const folder = databaseUrl === null && existsSync(dirname(databaseFile)) ? dirname(databaseFile) : homePath
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const database = databaseUrl === null ? (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0) : 0
  const message = `${toGb(free)} free at ${folder}`
  const advice = 'Free some space, or move the data to a larger disk.'
  if (free < FULL_BYTES) return failed('disk', message, advice)
  if (free < Math.max(LOW_BYTES, database)) return warning('disk', `${message}; the database has ${toGb(database)}`, advice)
  return ok('disk', message)
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    return await withHome({ readonly: true }, async ctx => {
      const damage = await findDamage(ctx.db)
      if (damage !== null) return [failed('database', `${config.databaseFile} is damaged: ${damage}`, RESTORE)]
      const lost = config.databaseUrl === null ? findLostCommits(config.databaseFile) : null
      if (lost !== null) return [failed('database', lost, 'Do this before the next start.')]
      const schema = await checkSchema(ctx)
      const clock = await checkClock(ctx)
      return [schema, clock, ...(schema.status === 'ok' ? [await checkIndex(ctx)] : [])]
    })
  } catch (error) {
    const explained = explainStorageFailure(error, config.databaseFile)
    if (explained !== null) return [failed('database', explained, RESTORE)]
    if (!(error instanceof OperatorError || error instanceof DomainError)) throw error
    const advice =
      config.databaseUrl === null ? 'A new server makes one; otherwise restore a backup.' : 'Check SERVICE_DATABASE_URL.'
    return [failed('database', error.message, advice)]
  }
}

const RESTORE = 'Check the disk, keep a copy of the file, and restore a backup.'

async function checkSchema({ db }: Context): Promise<Finding> {
  const { up } = await planMigration(db, 'head')
  const current = (await listAppliedRevisions(db)).at(-1) ?? 'base'
  if (up.length === 0) return ok('database', `${db.dialect.name}, schema ${current}`)
  const message = `the schema is ${current}, and this release needs ${MIGRATIONS.at(-1)?.name}`
  return failed('database', message, 'Make a backup, then run `postil server database migrate`.')
}

const CLOCK_TOLERANCE_MS = 5_000

/**
 * Compares the clock with that of PostgreSQL and with stored times: rows from the future mean that the clock was wrong, then or
 * now.
 */
async function checkClock({ db }: Context): Promise<Finding> {
  const advice = 'Synchronise the clock of this machine, for example with chrony. Wrong times stay in what was stored.'
  const tables = ['users', 'datasets', 'records'].map(table => `select max(inserted_at) as at from ${table}`)
  const [{ at } = { at: null }] = await db.sql.all<{ at: string | null }>(
    `select max(at) as at from (${tables.join(' union all ')}) as newest`,
  )
  const ahead = at === null ? 0 : Date.parse(`${at}Z`) - Date.now()
  if (ahead > CLOCK_TOLERANCE_MS) return warning('clock', `the newest row is of ${at} UTC, which is in the future`, advice)
  if (db.dialect.name === 'sqlite') return ok('clock', new Date().toISOString())
  const rows = await db.sql.all<{ ms: number | string }>('select extract(epoch from clock_timestamp()) * 1000 as ms')
  const difference = Math.abs(Number(rows[0]?.ms) - Date.now())
  if (difference > CLOCK_TOLERANCE_MS)
    return failed('clock', `differs from PostgreSQL's by ${Math.round(difference / 1000)} s`, advice)
  return ok('clock', `${new Date().toISOString()}, as PostgreSQL's`)
}

async function checkIndex({ config, db, search }: Context): Promise<Finding> {
  if (config.elastic) {
    try {
      await checkEngine(config.elastic, () => {})
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return failed('index', error.message, 'Start the search engine, or correct SERVICE_ELASTICSEARCH.')
    }
    return ok('index', JSON.stringify(await search.info()))
  }
  const missing = hasSegments(config) ? await listUnindexed(db) : []
  if (missing.length === 0) return ok('index', 'embedded, complete. `postil server search-engine verify` compares every record')
  const records = missing.reduce((sum, dataset) => sum + dataset.missing, 0)
  return warning(
    'index',
    `${records} records are not indexed`,
    'The next start indexes them; or run `postil server search-engine reindex`.',
  )
}
