/** The search cluster that tests run on: a real one, named by the environment of the test run. */
import { randomBytes } from 'node:crypto'
import type { ClusterName } from '../../../search-settings.ts'
import { openTestContext, type TestContext } from '../../../testing/context.ts'
import { type EngineClient, openClient } from '../client.ts'

const { POSTIL_TEST_ENGINE: given = 'embedded', POSTIL_TEST_ENGINE_URL: url } = process.env

/** Null if the tests run without a cluster. */
export const TEST_CLUSTER: { name: ClusterName; url: string } | null =
  url !== undefined && (given === 'elasticsearch' || given === 'opensearch') ? { name: given, url } : null

/** A context on the cluster, with indexes of its own, which are deleted at the end. */
export async function openClusterContext(env: Record<string, string> = {}): Promise<TestContext> {
  if (TEST_CLUSTER === null) throw new Error('POSTIL_TEST_ENGINE and POSTIL_TEST_ENGINE_URL name the cluster')
  const prefix = `test-${randomBytes(6).toString('hex')}`
  const ctx = await openTestContext({
    SERVICE_SEARCH_ENGINE: TEST_CLUSTER.name,
    SERVICE_ELASTICSEARCH: TEST_CLUSTER.url,
    SERVICE_ES_INDEX_PREFIX: prefix,
    ...env,
  })
  if (!ctx.config.elastic) throw new Error('The settings name no cluster')
  const client = openClient(ctx.config.elastic)
  const close = async () => {
    await deleteIndexes(client, prefix)
    await client.close()
    await ctx.close()
  }
  return { ...ctx, close }
}

async function deleteIndexes(client: EngineClient, prefix: string): Promise<void> {
  const query = { format: 'json', h: 'index', expand_wildcards: 'all' }
  const rows = await client.request<{ index: string }[]>({ method: 'GET', path: `/_cat/indices/${prefix}.*`, query })
  for (const { index } of rows) await client.request({ method: 'DELETE', path: `/${index}` })
}
