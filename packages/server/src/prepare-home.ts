/** Prepares a data folder: the folder, the database lock, secrets, schema and, on the first start, an owner. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { deleteSegments, indexMissing, reindexDataset } from './features/datasets/reindex.ts'
import { listDatasets } from './features/datasets/store.ts'
import { createAllowedWorkspaces } from './features/oauth2/sign-in.ts'
import { type CreatedOwner, createFirstOwner } from './features/users/create-first-owner.ts'
import { rehashApiKeys } from './features/users/rehash-api-keys.ts'
import { lockDatabase } from './lib/lock.ts'
import { OperatorError } from './lib/operator-error.ts'
import { hasKeys, openSecrets, readSecrets, type Secrets } from './lib/secrets.ts'
import { migrateWithAudit } from './migrate-with-audit.ts'
import { createContext, openContext } from './open-context.ts'
import { openSharedSecrets } from './processes/shared-secrets.ts'
import { checkEngine } from './search/elastic/check-engine.ts'
import { hasSegments } from './search/source/store-segment.ts'
import { checkPostgres } from './storage/check-postgres.ts'
import { checkDatabaseFile, createDatabaseFile, restrictFiles, toRealFile } from './storage/database-file.ts'
import { beginCommits, findLostCommits } from './storage/last-commit.ts'
import { listAppliedRevisions } from './storage/migrate.ts'
import { hasStoredUsers } from './storage/stored-users.ts'

export interface PreparedHome {
  secrets: Secrets
  release(): void
}

export interface PrepareEvents {
  /** Prints a line for the operator. */
  tell(line: string): void
  /** Shows the new owner once, including generated secrets in plain text. */
  tellOwner(owner: CreatedOwner): void
}

/**
 * Throws an OperatorError if another process uses the database, or if the database or its keys are missing, damaged or not ours.
 */
export async function prepareHome(config: Config, events: PrepareEvents): Promise<PreparedHome> {
  mkdirSync(config.homePath, { recursive: true, mode: 0o700 })
  if (config.elastic) await checkEngine(config.elastic, events.tell)
  if (config.databaseUrl !== null) return { secrets: await openSharedHome(config, events), release: () => {} }
  mkdirSync(dirname(config.databaseFile), { recursive: true, mode: 0o700 })
  const file = toRealFile(config.databaseFile)
  const release = lockDatabase(file)
  try {
    restrictFiles(file, events.tell)
    const isNew = checkDatabaseFile(file, { hasKeys: hasKeys(config.homePath) }) === 'absent'
    const secrets = isNew ? await createHome(config, file, events) : await openHome(config, file, events)
    beginCommits(file, { isSynced: config.sqliteSynchronous === 'full' })
    return { secrets, release }
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Prepares the folder on the first start. The keys are created first, because the database is useless without them. The owner is
 * shown before the database gets its final name, because the password cannot be shown later. If the start is killed in between,
 * the next one starts over.
 */
async function createHome(config: Config, file: string, events: PrepareEvents): Promise<Secrets> {
  if (hasKeys(config.homePath)) events.tell(`There was no database at ${file}: a new one is made, with the keys that were there.`)
  const secrets = openSecrets(config.homePath, config.authSecretKey)
  await createDatabaseFile(file, async path => {
    await withDatabase({ ...config, databaseFile: path }, secrets, ctx => makeReady(ctx, events))
  })
  return secrets
}

async function openHome(config: Config, file: string, events: PrepareEvents): Promise<Secrets> {
  const lost = findLostCommits(file)
  if (lost !== null) throw new OperatorError(lost)
  const options = { hasUsers: await hasStoredUsers(config), tell: events.tell }
  const secrets = openSecrets(config.homePath, config.authSecretKey, options)
  await withDatabase(config, secrets, async ctx => {
    await makeReady(ctx, events)
    await fillIndexes(ctx, events)
  })
  return secrets
}

/**
 * Prepares a PostgreSQL database, which may be empty and shared by several processes. The keys come after the schema, because
 * they may be stored in it. If several processes start at the same time, one does the work of each step and the others wait.
 */
function openSharedHome(config: Config, events: PrepareEvents): Promise<Secrets> {
  return withDatabase(config, readSecrets(config.homePath), async opened => {
    await checkPostgres(opened.db)
    await bringUpToDate(opened, events)
    const { homePath, authSecretKey } = config
    const secrets = await openSharedSecrets(opened.db, { homePath, authSecretKey, now: opened.now(), tell: events.tell })
    const ctx = createContext({ config, secrets, db: opened.db })
    await fillHome(ctx, events)
    await fillIndexes(ctx, events)
    return secrets
  })
}

async function withDatabase<T>(config: Config, secrets: Secrets, work: (ctx: Context) => Promise<T>): Promise<T> {
  const ctx = openContext({ config, secrets, readonly: false, cacheMb: 32 })
  try {
    return await work(ctx)
  } finally {
    await ctx.search.close()
    await ctx.db.close()
  }
}

async function makeReady(ctx: Context, events: PrepareEvents): Promise<void> {
  await bringUpToDate(ctx, events)
  await fillHome(ctx, events)
}

async function bringUpToDate(ctx: Context, { tell }: PrepareEvents): Promise<void> {
  const isNew = (await listAppliedRevisions(ctx.db)).length === 0
  // Migrating a large database takes a while.
  const tellStep = isNew ? () => {} : (line: string) => tell(`Upgrading the database: ${line.trim()}`)
  await migrateWithAudit(ctx, { target: 'head', command: 'start', tell: tellStep })
}

async function fillHome(ctx: Context, { tellOwner }: PrepareEvents): Promise<void> {
  await rehashApiKeys(ctx)
  const owner = await createFirstOwner(ctx, ctx.config.firstOwner)
  if (owner) tellOwner(owner)
  await createAllowedWorkspaces(ctx)
}

function fillIndexes(ctx: Context, events: PrepareEvents): Promise<void> {
  return ctx.db.alone(async () => {
    if (ctx.config.reindexDatasets) await reindexAll(ctx)
    await (hasSegments(ctx.config) ? indexRest(ctx, events) : deleteSegments(ctx))
  })
}

/** For deployments whose index may be outdated (REINDEX_DATASETS). */
async function reindexAll(ctx: Context): Promise<void> {
  for (const dataset of await listDatasets(ctx.db, { workspaceIds: null })) {
    const records = await reindexDataset(ctx, dataset, () => {})
    ctx.log.info({ dataset_id: dataset.id, records }, 'index built anew')
  }
}

const TELL_MS = 5_000

/** Builds missing text indexes, for example after an upgrade. The server starts afterwards because searches need them. */
async function indexRest(ctx: Context, { tell }: PrepareEvents): Promise<void> {
  let toldAt = performance.now()
  await indexMissing(ctx, ({ id, name }, { done, missing }) => {
    const isLast = done === missing
    if (isLast) ctx.log.info({ dataset_id: id, records: done }, 'missing part of the text index built')
    if (done > 0 && !isLast && performance.now() - toldAt < TELL_MS) return
    tell(`Building the text index of ${name}: ${done} of ${missing} records`)
    toldAt = performance.now()
  })
}
