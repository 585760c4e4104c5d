/** The search cluster that tests run on: a real one, named by the environment of the test run. */
import { randomBytes } from 'node:crypto'
import type { ClusterName } from '../../../search-settings.ts'
import { openTestContext, type TestContext } from '../../../testing/context.ts'
import { runOn } from '../../../testing/postgres-server.ts'
import { type EngineClient, openClient } from '../client.ts'

const { POSTIL_TEST_ENGINE: given = 'embedded', POSTIL_TEST_ENGINE_URL: url } = process.env

/** Null if the tests run without a cluster. */
export const TEST_CLUSTER: { name: ClusterName; url: string } | null =
  url !== undefined && (given === 'elasticsearch' || given === 'opensearch') ? { name: given, url } : null

/** A context on the cluster and the database of the test run, with indexes and a database of its own, which are deleted at the end. */
export async function openClusterContext(env: Record<string, string> = {}): Promise<TestContext> {
  if (TEST_CLUSTER === null) throw new Error('POSTIL_TEST_ENGINE and POSTIL_TEST_ENGINE_URL name the cluster')
  const prefix = `test-${randomBytes(6).toString('hex')}`
  const database = await makeDatabase(prefix)
  const ctx = await openTestContext({
    ...(database && { SERVICE_DATABASE_URL: database.url }),
    SERVICE_SEARCH_ENGINE: TEST_CLUSTER.name,
    SERVICE_ELASTICSEARCH: TEST_CLUSTER.url,
    SERVICE_ES_INDEX_PREFIX: prefix,
    // A search of a test waits as long as a busy machine needs.
    SERVICE_SEARCH_WAIT_SECONDS: '60',
    ...env,
  })
  if (!ctx.config.elastic) throw new Error('The settings name no cluster')
  const client = openClient(ctx.config.elastic)
  const close = async () => {
    await deleteIndexes(client, prefix)
    await client.close()
    await ctx.close()
    await database?.drop()
  }
  return { ...ctx, close }
}

/** In the PostgreSQL of the test run; null on SQLite. */
async function makeDatabase(prefix: string): Promise<{ url: string; drop(): Promise<unknown> } | null> {
  const { POSTIL_TEST_DATABASE, POSTIL_TEST_POSTGRES_URL: server } = process.env
  if (POSTIL_TEST_DATABASE !== 'postgres' || !server) return null
  const name = prefix.replaceAll('-', '_')
  await runOn(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runOn(server, `drop database if exists ${name} with (force)`) }
}

async function deleteIndexes(client: EngineClient, prefix: string): Promise<void> {
  const query = { format: 'json', h: 'index', expand_wildcards: 'all' }
  const rows = await client.request<{ index: string }[]>({ method: 'GET', path: `/_cat/indices/${prefix}.*`, query })
  for (const { index } of rows) await client.request({ method: 'DELETE', path: `/${index}` })
}
