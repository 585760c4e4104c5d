/** The search engine in a cluster: Elasticsearch or OpenSearch. Indexes follow the logs of their datasets (work.ts). */
import { type CountQuery, NO_COUNTS, toEmptyCount } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { Logger } from 'pino'
import type { ElasticConfig } from '../../search-settings.ts'
import type { Database } from '../../storage/database.ts'
import type { SearchEngine, SearchedDataset } from '../engine.ts'
import { type CatchUp, openCatchUp } from './catch-up.ts'
import { findVersion } from './check-engine.ts'
import { type EngineClient, openClient } from './client.ts'
import { NO_BOUNDS, toBoundsRequest, toCountRequest } from './counts.ts'
import { fromBoundsAnswer, fromCountAnswer } from './counts-answer.ts'
import { toFlavour } from './flavour.ts'
import { openInfo } from './info.ts'
import { fromSearchAnswer, toSearchRequest } from './query.ts'
import { isLost, openReady, type Ready, rethrow, toRetryLater } from './ready.ts'
import { reindex } from './reindex.ts'
import { openStates, type States } from './states.ts'
import { verify } from './verify.ts'
import type { Workshop } from './work.ts'

export interface ElasticEngineOptions {
  /** Read only. As for the embedded engine: on PostgreSQL with connections of its own. */
  db: Database
  config: ElasticConfig
  log: Logger
  /** Whether the process has an indexer. */
  isFollowed?: boolean
  /** Called again and again while a search waits for the index. */
  onWait?: () => void
}

export interface ElasticEngine extends SearchEngine {
  states: States
  catchUp: CatchUp
  openShop(): Promise<Workshop>
  log: Logger
  close(): Promise<void>
}

export function openElasticEngine({
  db,
  config,
  log,
  isFollowed = false,
  onWait = () => {},
}: ElasticEngineOptions): ElasticEngine {
  // Somebody waits for a search, and not for the indexer.
  const timeoutMs = isFollowed ? Math.min(config.timeoutMs, config.waitMs) : config.timeoutMs
  const client = openClient({ ...config, timeoutMs })
  const states = openStates({ client, indexPrefix: config.indexPrefix })
  let shop: Workshop | null = null
  const openShop = async (): Promise<Workshop> => {
    shop ??= { client, config, db, log, flavour: toFlavour(config.name, (await findVersion(client)).version) }
    return shop
  }
  const catchUp = openCatchUp(states, openShop)
  const ready = openReady({ client, states, catchUp, waitMs: config.waitMs, isFollowed, onWait })

  const ask = openAsk(client, ready, openShop)

  return {
    info: openInfo({ client, config, db, states }),
    search: async (dataset, query) => {
      if (!dataset.published) return { hits: [], total: 0 }
      return ask(dataset, query, async ({ flavour, post }) => {
        const request = toSearchRequest(dataset, query, flavour)
        return request === null ? { hits: [], total: 0 } : fromSearchAnswer(query, await post(request))
      })
    },
    count: async (dataset, query) => {
      if (!dataset.published) return { total: 0, by_status: NO_COUNTS, targets: query.targets.map(toEmptyCount) }
      return ask(dataset, query, async ({ post }) => {
        const boundsRequest = toBoundsRequest(query)
        const bounds = boundsRequest === null ? NO_BOUNDS : fromBoundsAnswer(query, await post(boundsRequest))
        const count = (shards: number) => post(toCountRequest(dataset, query, { bounds, shards }))
        const answer = await count(config.shards)
        // An index that was made with another setting.
        const { total } = (answer as { _shards: { total: number } })._shards
        return fromCountAnswer(query, total > config.shards ? await count(total) : answer, bounds)
      })
    },
    reindex: async (_ctx, dataset, progress) => reindex({ shop: await openShop(), states }, dataset, progress),
    verify: async (snapshot, dataset, progress) =>
      verify({ shop: await openShop(), states, catchUp }, snapshot, dataset, progress),
    // It runs inside a transaction, which must not wait for a network. The indexer deletes the indexes of deleted datasets.
    drop: async () => true,
    states,
    catchUp,
    openShop,
    log,
    close: () => client.close(),
  }
}

/** A part of the hits, because some shards do not answer, would be a wrong answer. */
const WHOLE = { allow_partial_search_results: false }

type Run<T> = (asked: { flavour: Workshop['flavour']; post(body: object): Promise<unknown> }) => Promise<T>

/** Asks the index of a dataset; once more if it was replaced in between. */
function openAsk(client: EngineClient, ready: Ready, openShop: () => Promise<Workshop>) {
  return async <T>(dataset: SearchedDataset, query: SearchQuery | CountQuery, run: Run<T>): Promise<T> => {
    for (let isFirst = true; ; isFirst = false) {
      const { flavour } = await openShop().catch(rethrow)
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
