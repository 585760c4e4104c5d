/** Checks a search cluster before the server uses it. */
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../../lib/operator-error.ts'
import type { ClusterName, ElasticConfig } from '../../search-settings.ts'
import { type EngineClient, openClient } from './client.ts'
import { EngineError, EngineUnavailable } from './errors.ts'

const WAIT_MS = 60_000
const PAUSE_MS = { first: 250, most: 5_000 }
const ASK_MS = 5_000

/** The oldest versions that support all features used here. */
const OLDEST: { readonly [N in ClusterName]: [major: number, minor: number] } = { elasticsearch: [8, 5], opensearch: [2, 4] }
const TITLES: { readonly [N in ClusterName]: string } = { elasticsearch: 'Elasticsearch', opensearch: 'OpenSearch' }

interface RootAnswer {
  cluster_name?: string
  version?: { number?: string; distribution?: string }
}

/** Requests the name and version of the engine. */
export async function findVersion(client: EngineClient): Promise<{ name: ClusterName; version: string }> {
  const { version } = await client.request<RootAnswer>({ method: 'GET', path: '/', timeoutMs: ASK_MS })
  return { name: version?.distribution === 'opensearch' ? 'opensearch' : 'elasticsearch', version: version?.number ?? '' }
}

/** Waits for the engine. Throws an OperatorError if it does not answer in time, is not the configured engine, or is too old. */
export async function checkEngine(config: ElasticConfig, tell: (line: string) => void, waitMs = WAIT_MS): Promise<void> {
  const client = openClient(config)
  try {
    const found = await waitForEngine(client, tell, waitMs)
    const title = `${TITLES[found.name]} ${found.version}`
    if (found.name !== config.name)
      throw new OperatorError(
        `SERVICE_SEARCH_ENGINE is \`${config.name}\`, but ${title} answers at ${config.url}; expected \`${found.name}\`.`,
      )
    if (isTooOld(found))
      throw new OperatorError(
        `${title} answers at ${config.url}; expected ${TITLES[found.name]} ${OLDEST[found.name].join('.')} or newer.`,
      )
  } catch (error) {
    if (error instanceof EngineError) throw new OperatorError(`The search engine at ${config.url} refuses: ${error.message}.`)
    throw error
  } finally {
    await client.close()
  }
}

async function waitForEngine(client: EngineClient, tell: (line: string) => void, waitMs: number) {
  const startedAt = performance.now()
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
    try {
      return await findVersion(client)
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      const leftMs = waitMs - (performance.now() - startedAt)
      if (leftMs <= 0) throw new OperatorError(`${error.message}. It was waited for ${waitMs / 1000} seconds.`)
      if (pauseMs === PAUSE_MS.first) tell(`Waiting for the search engine: ${error.message}`)
      await delay(Math.min(pauseMs, leftMs))
    }
  }
}

export function isTooOld({ name, version }: { name: ClusterName; version: string }): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST[name]
  return !(major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
}
