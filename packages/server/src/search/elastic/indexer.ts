/**
 * Follows the logs of all datasets without being asked, so that searches seldom wait, and deletes indexes that nobody needs. Each process has
 * one; the lease of an index decides who works on it.
 */
import type { Id } from '@postil/domain/schema'
import type { ElasticEngine } from './engine.ts'
import { EngineUnavailable, WritesRefused } from './errors.ts'
import { type Head, listHeads } from './heads.ts'
import { deleteIndex, findDatasetOf, listIndexes } from './indexes.ts'
import { discard, toNextId } from './reindex.ts'
import type { IndexState } from './states.ts'
import type { Workshop } from './work.ts'

/** Other processes write too: their datasets are found by looking. */
const POLL_MS = 1_000
const CLEAN_MS = 600_000
/** An index may be lost, or restored from a backup, at any time: what is known of it is read again after this time. */
const KNOWN_MS = 3_000
/** After a failure; the pause doubles with each one in a row. */
const RETRY_MS = { first: 500, most: 5_000 }
/** As long as a failure lasts, it is logged again after this time. */
const TELL_MS = 60_000
/** Indexes that are worked on at the same time, and for how long before others have their turn. */
const CONCURRENCY = 2
const SLICE_MS = 2_000

export interface Indexer {
  /** Something was committed. */
  wake(): void
  close(): Promise<void>
}

export function openIndexer(engine: ElasticEngine): Indexer {
  const pass = openPass(engine)
  const failures = openFailures(engine)
  let isClosed = false
  let wakeUp: () => void = () => {}
  let isAwake = false

  const sleep = (ms: number) =>
    new Promise<void>(resolve => {
      if (isAwake && ms === POLL_MS) return resolve()
      const timer = setTimeout(resolve, ms).unref()
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const run = async () => {
    while (!isClosed) {
      isAwake = false
      try {
        const hasMore = await pass(() => isClosed)
        failures.end()
        if (!hasMore) await sleep(POLL_MS)
      } catch (error) {
        await sleep(await failures.tell(error))
      }
    }
  }
  const running = run()
  return {
    wake: () => {
      isAwake = true
      if (failures.count === 0) wakeUp()
    },
    close: async () => {
      isClosed = true
      wakeUp()
      await running
    },
  }
}

/** One line when a failure begins, now and then while it lasts, and when it ends. */
function openFailures({ log }: ElasticEngine) {
  let count = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    get count() {
      return count
    },
    /** Answers how long to wait. */
    tell: async (error: unknown): Promise<number> => {
      const retryMs = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** count++)
      if (performance.now() - toldAt > TELL_MS) {
        toldAt = performance.now()
        const reason = error instanceof Error ? error.message : String(error)
        const detail = error instanceof EngineUnavailable ? {} : { err: error }
        log.error({ failures: count, ...detail }, `Records are not indexed at the moment: ${reason}`)
      }
      return retryMs
    },
    end: () => {
      if (count > 0) log.info({ failures: count }, 'Records are indexed again.')
      count = 0
      toldAt = Number.NEGATIVE_INFINITY
    },
  }
}

function openPass(engine: ElasticEngine) {
  const { states, catchUp } = engine
  /** The change number that each index is known to have reached, with everything filled in. */
  const reached = new Map<Id, number>()
  /** Deleted datasets whose indexes are gone. */
  const gone = new Set<Id>()
  let cleanedAt = Number.NEGATIVE_INFINITY
  let readAt = performance.now()

  const failing = openFailing(engine)
  const isDue = ({ dataset_id, change_no, is_published, is_deleted }: Head): boolean => {
    if (failing.isPaused(dataset_id)) return false
    return is_deleted === 1 ? !gone.has(dataset_id) : is_published === 1 && reached.get(dataset_id) !== change_no
  }

  /** Another process may have done it. */
  const note = ({ dataset_id, change_no, is_deleted }: Head, state: IndexState | undefined): void => {
    if (is_deleted === 1 && !state) gone.add(dataset_id)
    if (is_deleted === 0 && state?.index != null && state.fill === null && state.change_no >= change_no)
      reached.set(dataset_id, change_no)
  }

  const follow = async ({ dataset_id, change_no }: Head): Promise<boolean> => {
    const startedAt = performance.now()
    const outcome = await catchUp.run(dataset_id, () => performance.now() - startedAt > SLICE_MS).catch(failing.note(dataset_id))
    if (outcome === 'done') reached.set(dataset_id, change_no)
    if (outcome === 'gone') gone.add(dataset_id)
    return outcome === 'more'
  }

  /** Answers whether there is more to do at once. */
  return async (isOver: () => boolean): Promise<boolean> => {
    const shop = await engine.openShop()
    let hasMore = false
    if (performance.now() - readAt > KNOWN_MS) {
      reached.clear()
      readAt = performance.now()
    }
    for await (const heads of listHeads(shop.db)) {
      const changed = heads.filter(isDue)
      const found = await states.list(changed.map(({ dataset_id }) => dataset_id))
      for (const head of changed) note(head, found.get(head.dataset_id))
      const due = changed.filter(isDue)
      for (let start = 0; start < due.length && !isOver(); start += CONCURRENCY) {
        const outcomes = await Promise.all(due.slice(start, start + CONCURRENCY).map(follow))
        hasMore ||= outcomes.includes(true)
      }
    }
    if (performance.now() - cleanedAt >= CLEAN_MS && !isOver()) {
      cleanedAt = performance.now()
      await cleanUp(engine, shop)
    }
    return hasMore
  }
}

/** Datasets that the engine refuses to index: the others must not wait for them. */
function openFailing({ log }: ElasticEngine) {
  const pausedTo = new Map<Id, number>()
  const toldAt = new Map<Id, number>()
  return {
    isPaused: (datasetId: Id) => performance.now() < (pausedTo.get(datasetId) ?? 0),
    note:
      (datasetId: Id) =>
      (error: unknown): 'failed' => {
        const isBlocked = error instanceof WritesRefused
        // That concerns all.
        if (error instanceof EngineUnavailable && !isBlocked) throw error
        const now = performance.now()
        pausedTo.set(datasetId, now + (isBlocked ? RETRY_MS.most : TELL_MS))
        if (now - (toldAt.get(datasetId) ?? Number.NEGATIVE_INFINITY) < TELL_MS) return 'failed'
        toldAt.set(datasetId, now)
        const reason = error instanceof Error ? error.message : String(error)
        const detail = isBlocked ? {} : { err: error }
        log.error({ dataset_id: datasetId, ...detail }, `A dataset cannot be indexed at the moment: ${reason}`)
        return 'failed'
      },
  }
}

/** Deletes indexes of known datasets that no state names: what an interrupted reindex, or a lost state, has left. */
async function cleanUp({ states }: ElasticEngine, shop: Workshop): Promise<void> {
  const indexes = Map.groupBy(await listIndexes(shop.client, shop.config.indexPrefix), index =>
    findDatasetOf(shop.config.indexPrefix, index),
  )
  for await (const heads of listHeads(shop.db)) {
    for (const { dataset_id } of heads) {
      const found = indexes.get(dataset_id) ?? []
      if (found.length > 0) await cleanUpDataset({ states, shop }, dataset_id, found)
    }
  }
}

async function cleanUpDataset(
  cluster: { states: ElasticEngine['states']; shop: Workshop },
  datasetId: Id,
  indexes: readonly string[],
) {
  const { states, shop } = cluster
  const next = (await states.find(toNextId(datasetId))) ? await states.take(toNextId(datasetId)) : null
  if (next) {
    await discard(cluster, next, datasetId)
    await next.remove()
  }
  // Names are read after the indexes were listed: an index has its name in a state before it is made.
  const named = [(await states.find(datasetId))?.index, (await states.find(toNextId(datasetId)))?.index]
  for (const index of indexes) if (!named.includes(index)) await deleteIndex(shop.client, index)
}
