/** Makes a data folder ready: the folder, its lock, secrets, schema and, the first time, an owner. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { reindexDataset } from './features/datasets/reindex.ts'
import { listDatasets } from './features/datasets/store.ts'
import { createFirstOwner } from './features/users/create-first-owner.ts'
import { rehashApiKeys } from './features/users/rehash-api-keys.ts'
import { lockFolder } from './lib/lock.ts'
import { openSecrets, type Secrets } from './lib/secrets.ts'
import { openContext } from './open-context.ts'
import { migrate } from './storage/migrate.ts'

export interface PreparedHome {
  secrets: Secrets
  /** The owner that was made just now, with what the server made by itself in the clear: it is shown once. */
  firstOwner: Awaited<ReturnType<typeof createFirstOwner>>
  release(): void
}

/** Throws a LockedError when another process has the folder, a MigrationError when the database is not ours. */
export async function prepareHome(config: Config): Promise<PreparedHome> {
  mkdirSync(config.homePath, { recursive: true, mode: 0o700 })
  mkdirSync(dirname(config.databaseFile), { recursive: true, mode: 0o700 })
  const release = lockFolder(config.homePath)
  try {
    const secrets = openSecrets(config.homePath, config.authSecretKey)
    const ctx = openContext({ config, secrets, readonly: false, cacheMb: 32 })
    try {
      await migrate(ctx.db, 'head', ctx.now)
      await rehashApiKeys(ctx)
      if (config.reindexDatasets) await reindexAll(ctx)
      return { secrets, firstOwner: await createFirstOwner(ctx, config.firstOwner), release }
    } finally {
      await ctx.db.close()
    }
  } catch (error) {
    release()
    throw error
  }
}

/** For deployments whose index may be older than their data (REINDEX_DATASETS). */
async function reindexAll(ctx: Context): Promise<void> {
  for (const dataset of await listDatasets(ctx.db, { workspaceIds: null })) {
    const records = await reindexDataset(ctx, dataset, () => {})
    ctx.log.info({ dataset_id: dataset.id, records }, 'index built anew')
  }
}
