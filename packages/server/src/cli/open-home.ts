import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { hasUsers } from '../features/users/store.ts'
import { lockDatabase } from '../lib/lock.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { hasKeys, openSecrets, readSecrets } from '../lib/secrets.ts'
import { createContext, openContext } from '../open-context.ts'
import { openSharedSecrets } from '../processes/shared-secrets.ts'
import { checkPostgres } from '../storage/check-postgres.ts'
import { checkDatabaseFile, createDatabaseFile, restrictFiles, toRealFile } from '../storage/database-file.ts'
import { findLostCommits } from '../storage/last-commit.ts'
import { checkNewest, migrate } from '../storage/migrate.ts'
import { explainStorageFailure } from '../storage/storage-failure.ts'

interface HomeOptions {
  /** True to run alongside a running server. Otherwise the command must be the only user of the database. */
  readonly: boolean
  /** Creates the database if it does not exist. */
  create?: boolean
}

/** Runs a command's work on the database. */
export function withHome<T>(options: HomeOptions, work: (ctx: Context) => Promise<T>): Promise<T> {
  const config = readConfig()
  return withStorageErrors(config, async () => {
    if (config.databaseUrl !== null) return withContext(config, options, work)
    if (options.create) mkdirSync(dirname(config.databaseFile), { recursive: true, mode: 0o700 })
    const file = findDatabaseFile(config)
    const release = options.readonly ? () => {} : lockDatabase(file)
    try {
      await requireDatabase(config, file, options)
      return await withContext(config, options, work)
    } finally {
      release()
    }
  })
}

/**
 * Runs work that stores users, if the schema is that of this release. It needs the keys of the server, which are created if they
 * do not exist.
 */
export function withKeys<T>(work: (ctx: Context) => Promise<T>): Promise<T> {
  return withHome({ readonly: false }, async ({ config, db, now }) => {
    await checkNewest(db)
    const { homePath, authSecretKey, databaseUrl } = config
    mkdirSync(homePath, { recursive: true, mode: 0o700 })
    const tell = (line: string) => void process.stderr.write(`${line}\n`)
    const secrets =
      databaseUrl === null
        ? openSecrets(homePath, authSecretKey, { hasUsers: await hasUsers(db), tell })
        : await openSharedSecrets(db, { homePath, authSecretKey, now: now(), tell })
    const ctx = createContext({ config, secrets, db })
    try {
      return await work(ctx)
    } finally {
      await ctx.search.close()
    }
  })
}

/** Returns the path of the database without symbolic links. */
export function findDatabaseFile(config: Config): string {
  try {
    return toRealFile(config.databaseFile)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noDatabaseError(config.databaseFile)
    throw error
  }
}

export const noDatabaseError = (file: string) =>
  new OperatorError(`There is no database at ${file}. SERVICE_HOME_PATH or SERVICE_DATABASE_URL names where it is.`)

async function requireDatabase(config: Config, file: string, { readonly, create }: HomeOptions): Promise<void> {
  if (!readonly) restrictFiles(file, line => void process.stderr.write(`${line}\n`))
  if (checkDatabaseFile(file, { hasKeys: hasKeys(config.homePath) }) === 'present') {
    const lost = readonly ? null : findLostCommits(file)
    if (lost !== null) throw new OperatorError(lost)
    return
  }
  if (!create) throw noDatabaseError(file)
  await createDatabaseFile(file, path => {
    return withContext({ ...config, databaseFile: path }, { readonly: false }, ctx => migrate(ctx.db, 'base', ctx.now))
  })
}

async function withContext<T>(config: Config, { readonly }: HomeOptions, work: (ctx: Context) => Promise<T>): Promise<T> {
  const ctx = openContext({ config, secrets: readSecrets(config.homePath), readonly, cacheMb: 64 })
  try {
    await checkPostgres(ctx.db)
    return await work(ctx)
  } finally {
    await ctx.search.close()
    await ctx.db.close()
  }
}

/** Explains disk and database failures to the operator in one sentence. */
export async function withStorageErrors<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const sentence = explainStorageFailure(error, toPlace(config))
    throw sentence === null ? error : new OperatorError(sentence, { cause: error })
  }
}

/** Describes the database without the password. */
function toPlace({ databaseFile, databaseUrl }: Config): string {
  if (databaseUrl === null) return databaseFile
  const [, host = '', name = ''] = /^postgresql:\/\/(?:[^@]*@)?([^/?]*)\/?([^?]*)/.exec(databaseUrl) ?? []
  return `The PostgreSQL database ${decodeURIComponent(name)} at ${host || 'a socket'}`
}
