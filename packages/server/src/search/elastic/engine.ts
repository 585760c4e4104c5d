/** The search engine in an Elasticsearch or OpenSearch cluster. Indexes follow the logs of their datasets (work.ts). */
import { type CountQuery, NO_COUNTS, toEmptyCount } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { Logger } from 'pino'
import type { ElasticConfig } from '../../search-settings.ts'
import type { Database } from '../../storage/database.ts'
import type { SearchEngine, SearchedDataset } from '../engine.ts'
import { type CatchUp, createCatchUp } from './catch-up.ts'
import { findVersion } from './check-engine.ts'
import { type EngineClient, openClient } from './client.ts'
import { NO_BOUNDS, toBoundsRequest, toCountRequest } from './counts.ts'
import { fromBoundsAnswer, fromCountAnswer } from './counts-answer.ts'
import { toFlavour } from './flavour.ts'
import { createIndexProgress } from './index-progress.ts'
import { createInfoReader } from './info.ts'
import { findDatabaseId, findLeftovers, removeLeftovers } from './leftovers.ts'
import { fromSearchAnswer, toSearchRequest } from './query.ts'
import { createReadiness, isLost, type Readiness, rethrow, toRetryLater } from './ready.ts'
import { reindex } from './reindex.ts'
import { createStates, type States } from './states.ts'
import { verify } from './verify.ts'
import type { ClusterContext } from './work.ts'

export interface ElasticEngineOptions {
  /** Read-only. On PostgreSQL, it has its own connections, like that of the embedded engine. */
  db: Database
  config: ElasticConfig
  log: Logger
  /** True if the process has an indexer. */
  isFollowed?: boolean
  /** Called repeatedly while a search waits for the index. */
  onWait?: () => void
}

export interface ElasticEngine extends SearchEngine {
  states: States
  catchUp: CatchUp
  openContext(): Promise<ClusterContext>
  log: Logger
  close(): Promise<void>
}

export function openElasticEngine({
  db: database,
  config,
  log,
  isFollowed = false,
  onWait = () => {},
}: ElasticEngineOptions): ElasticEngine {
  const db = withWaitCallback(database, onWait)
  // Users wait for searches, so their requests have a shorter timeout than those of the indexer.
  const timeoutMs = isFollowed ? Math.min(config.timeoutMs, config.waitMs) : config.timeoutMs
  const client = openClient({ ...config, timeoutMs })
  const states = createStates({ client, indexPrefix: config.indexPrefix })
  let context: ClusterContext | null = null
  const openContext = async (): Promise<ClusterContext> => {
    if (context !== null) return context
    const flavour = toFlavour(config.name, (await findVersion(client)).version)
    context = { client, config, db, log, flavour, databaseId: await findDatabaseId(db) }
    return context
  }
  const catchUp = createCatchUp(states, openContext)
  const indexProgress = createIndexProgress(states, openContext)
  const ready = createReadiness({ progress: indexProgress, catchUp, waitMs: config.waitMs, isFollowed, onWait })
  const ask = createRequester(client, ready, openContext)

  return {
    isRemote: true,
    info: createInfoReader({ client, config, db, states }),
    search: async (dataset, query) => {
      if (!dataset.published) return { hits: [], total: 0 }
      return ask(dataset, query, async ({ flavour, post }) => {
        const request = toSearchRequest(dataset, query, flavour)
        return request === null ? { hits: [], total: 0 } : fromSearchAnswer(query, await post(request), flavour)
      })
    },
    count: async (dataset, query) => {
      if (!dataset.published) return { total: 0, by_status: NO_COUNTS, targets: query.targets.map(toEmptyCount) }
      return ask(dataset, query, async ({ post }) => {
        const boundsRequest = toBoundsRequest(query)
        const bounds = boundsRequest === null ? NO_BOUNDS : fromBoundsAnswer(query, await post(boundsRequest))
        const count = (shards: number) => post(toCountRequest(dataset, query, { bounds, shards }))
        const answer = await count(config.shards)
        // The index may have been created with another number of shards.
        const { total } = (answer as { _shards: { total: number } })._shards
        return fromCountAnswer(query, total > config.shards ? await count(total) : answer, bounds)
      })
    },
    reindex: async (_ctx, dataset, progress) => reindex({ context: await openContext(), states }, dataset, progress),
    verify: async (snapshot, dataset, progress) =>
      verify({ context: await openContext(), states, catchUp }, snapshot, dataset, progress),
    // Leaves the deletion to the indexer, because a transaction, in which this runs, must not wait for a network.
    drop: async () => true,
    findLeftovers: async () => findLeftovers(await openContext()),
    removeLeftovers: async () => removeLeftovers(await openContext(), states),
    states,
    catchUp,
    openContext,
    log,
    close: () => client.close(),
  }
}

/** Calls `onWait` before each snapshot, so that work on an index does not count towards the time limit of a read. */
const withWaitCallback = (db: Database, onWait: () => void): Database => ({
  ...db,
  snapshot: reads => {
    onWait()
    return db.snapshot(reads)
  },
})

/** Makes a search fail if some shards do not respond, because partial results would be incorrect. */
const WHOLE = { allow_partial_search_results: false }

type Run<T> = (asked: { flavour: ClusterContext['flavour']; post(body: object): Promise<unknown> }) => Promise<T>

/** Sends requests to the index of a dataset. Retries once if the index was replaced in the meantime. */
function createRequester(client: EngineClient, ready: Readiness, openContext: () => Promise<ClusterContext>) {
  return async <T>(dataset: SearchedDataset, query: SearchQuery | CountQuery, run: Run<T>): Promise<T> => {
    for (let isFirst = true; ; isFirst = false) {
      const { flavour } = await openContext().catch(rethrow)
      const index = await ready.wait(dataset, query)
      try {
        return await run({
          flavour,
          post: body => client.request({ method: 'POST', path: `/${index}/_search`, query: WHOLE, body }),
        })
      } catch (error) {
        if (!isFirst || !isLost(error)) throw toRetryLater(error)
        ready.forget(dataset.id)
      }
    }
  }
}
