/** The search cluster for tests: a real one, configured in the environment of the test run. */
import { randomBytes } from 'node:crypto'
import type { ClusterName, ElasticConfig } from '../../../search-settings.ts'
import { openTestContext, type TestContext } from '../../../testing/context.ts'
import { openTestPostgres } from '../../../testing/databases.ts'
import { type EngineClient, openClient } from '../client.ts'
import { openElasticEngine } from '../engine.ts'

const { POSTIL_TEST_ENGINE: given = 'embedded', POSTIL_TEST_ENGINE_URL: url } = process.env

/** Null if the tests run without a cluster. */
export const TEST_CLUSTER: { name: ClusterName; url: string } | null =
  url !== undefined && (given === 'elasticsearch' || given === 'opensearch') ? { name: given, url } : null

/** Opens a context on the cluster with its own indexes, which are deleted when it is closed. */
export async function openClusterContext(env: Record<string, string> = {}): Promise<TestContext> {
  if (TEST_CLUSTER === null) throw new Error('POSTIL_TEST_ENGINE and POSTIL_TEST_ENGINE_URL name the cluster')
  const prefix = `test-${randomBytes(6).toString('hex')}`
  const ctx = await openTestContext({
    SERVICE_SEARCH_ENGINE: TEST_CLUSTER.name,
    SERVICE_ELASTICSEARCH: TEST_CLUSTER.url,
    SERVICE_ES_INDEX_PREFIX: prefix,
    // A busy machine may need a long time to create the first index.
    SERVICE_SEARCH_WAIT_SECONDS: '60',
    ...env,
  })
  const config = ctx.config.elastic
  if (config === null) throw new Error('The settings name no cluster')
  const client = openClient(config)
  const database = await openDatabase(ctx, config)
  const close = async () => {
    await database.close()
    await deleteIndexes(client, prefix)
    await client.close()
    await ctx.close()
  }
  return { ...ctx, ...database.parts, close }
}

/** Returns the parts of the context that differ from SQLite if `POSTIL_TEST_DATABASE=postgres`. */
async function openDatabase(
  { log }: TestContext,
  config: ElasticConfig,
): Promise<{ parts: Partial<TestContext>; close(): Promise<void> }> {
  if (process.env.POSTIL_TEST_DATABASE !== 'postgres') return { parts: {}, close: async () => {} }
  const { db, openAnother, close } = await openTestPostgres()
  // Searches hold a connection while they wait for the engine, which needs other connections.
  const own = openAnother()
  const search = openElasticEngine({ db: own, config, log })
  return {
    parts: { db, search },
    close: async () => {
      await search.close()
      await own.close()
      await close()
    },
  }
}

async function deleteIndexes(client: EngineClient, prefix: string): Promise<void> {
  const query = { format: 'json', h: 'index', expand_wildcards: 'all' }
  const rows = await client.request<{ index: string }[]>({ method: 'GET', path: `/_cat/indices/${prefix}.*`, query })
  for (const { index } of rows) await client.request({ method: 'DELETE', path: `/${index}` })
}
