/**
 * Background task that follows the logs of all datasets, so that searches rarely wait, and deletes unused indexes. Each process
 * has one; the lease of an index determines which process works on it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Id } from '@postil/domain/schema'
import { createOutage } from '../../lib/outage.ts'
import type { ElasticEngine } from './engine.ts'
import { EngineUnavailable, WritesRefused } from './errors.ts'
import type { Flavour } from './flavour.ts'
import { type Head, listHeads } from './heads.ts'
import { deleteIndex, findDatasetOf, listIndexes } from './indexes.ts'
import { discard, toNextId } from './reindex.ts'
import { isCurrentFormat } from './settings-stamp.ts'
import type { IndexState } from './states.ts'
import type { ClusterContext } from './work.ts'

/** Polling interval, needed because other processes write too. */
const POLL_MS = 1_000
/** Writes within this time are indexed together. A search that arrives earlier updates the index itself. */
const GATHER_MS = 100
const CLEAN_MS = 600_000
/** Cached index states are read again after this time, because an index may be lost or restored from a backup at any time. */
const KNOWN_MS = 3_000
/** Exponential backoff after failures. */
const RETRY_MS = { first: 500, most: 5_000 }
/** Interval for logging again that a dataset cannot be indexed. */
const TELL_MS = 60_000
/** Number of indexes that are updated concurrently, and the time after which others get their turn. */
const CONCURRENCY = 2
const SLICE_MS = 2_000

export interface Indexer {
  /** Called after a commit. */
  wake(): void
  close(): Promise<void>
}

export function openIndexer(engine: ElasticEngine): Indexer {
  const pass = createPass(engine)
  const failures = createFailureLog(engine)
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
        if (!hasMore && !isClosed) await delay(GATHER_MS)
      } catch (error) {
        await sleep(failures.tell(error))
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

function createFailureLog({ log }: ElasticEngine) {
  const outage = createOutage()
  return {
    get count() {
      return outage.failures
    },
    /** Logs the failure and returns how long to wait. */
    tell: (error: unknown): number => {
      const retryMs = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** outage.failures)
      if (outage.fail()) {
        const reason = error instanceof Error ? error.message : String(error)
        const detail = error instanceof EngineUnavailable ? {} : { err: error }
        log.error({ failures: outage.failures, ...detail }, `Records are not indexed at the moment: ${reason}`)
      }
      return retryMs
    },
    end: () => {
      if (outage.end()) log.info('Records are indexed again.')
    },
  }
}

function createPass(engine: ElasticEngine) {
  const { states, catchUp } = engine
  /** The change number that each index has reached, with all records filled in. */
  const reached = new Map<Id, number>()
  /** Deleted datasets whose indexes were deleted. */
  const gone = new Set<Id>()
  let cleanedAt = Number.NEGATIVE_INFINITY
  let readAt = performance.now()

  const failing = createFailingDatasets(engine)
  const isDue = ({ dataset_id, change_no, is_published, is_deleted }: Head): boolean => {
    if (failing.isPaused(dataset_id)) return false
    return is_deleted === 1 ? !gone.has(dataset_id) : is_published === 1 && reached.get(dataset_id) !== change_no
  }

  /** Notes work that another process may have done. */
  const note = ({ dataset_id, change_no, is_deleted }: Head, state: IndexState | undefined, flavour: Flavour): void => {
    if (is_deleted === 1 && !state) gone.add(dataset_id)
    if (is_deleted === 1 || state?.index == null || state.settings === null) return
    const isDone = state.fill === null && state.change_no >= change_no && isCurrentFormat(state.settings, flavour)
    if (isDone) reached.set(dataset_id, change_no)
  }

  const follow = async ({ dataset_id, change_no }: Head): Promise<boolean> => {
    const startedAt = performance.now()
    const outcome = await catchUp.run(dataset_id, () => performance.now() - startedAt > SLICE_MS).catch(failing.note(dataset_id))
    if (outcome === 'done') reached.set(dataset_id, change_no)
    if (outcome === 'gone') gone.add(dataset_id)
    return outcome === 'more'
  }

  /** Returns true if there is more work to do immediately. */
  return async (isOver: () => boolean): Promise<boolean> => {
    const context = await engine.openContext()
    let hasMore = false
    if (performance.now() - readAt > KNOWN_MS) {
      reached.clear()
      readAt = performance.now()
    }
    for await (const heads of listHeads(context.db)) {
      const changed = heads.filter(isDue)
      const found = await states.list(changed.map(({ dataset_id }) => dataset_id))
      for (const head of changed) note(head, found.get(head.dataset_id), context.flavour)
      const due = changed.filter(isDue)
      for (let start = 0; start < due.length && !isOver(); start += CONCURRENCY) {
        const outcomes = await Promise.all(due.slice(start, start + CONCURRENCY).map(follow))
        hasMore ||= outcomes.includes(true)
      }
    }
    if (performance.now() - cleanedAt >= CLEAN_MS && !isOver()) {
      cleanedAt = performance.now()
      await cleanUp(engine, context)
    }
    return hasMore
  }
}

/** Tracks datasets that the engine fails to index, so that they do not delay the others. */
function createFailingDatasets({ log }: ElasticEngine) {
  const pausedTo = new Map<Id, number>()
  const toldAt = new Map<Id, number>()
  return {
    isPaused: (datasetId: Id) => performance.now() < (pausedTo.get(datasetId) ?? 0),
    note:
      (datasetId: Id) =>
      (error: unknown): 'failed' => {
        const isBlocked = error instanceof WritesRefused
        // An unavailable engine affects all datasets.
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

/** Deletes indexes of known datasets that no state refers to, for example those of an interrupted reindex or a lost state. */
async function cleanUp({ states }: ElasticEngine, context: ClusterContext): Promise<void> {
  const indexes = Map.groupBy(await listIndexes(context.client, context.config.indexPrefix), index =>
    findDatasetOf(context.config.indexPrefix, index),
  )
  for await (const heads of listHeads(context.db)) {
    for (const { dataset_id } of heads) {
      const found = indexes.get(dataset_id) ?? []
      if (found.length > 0) await cleanUpDataset({ states, context }, dataset_id, found)
    }
  }
}

async function cleanUpDataset(
  cluster: { states: ElasticEngine['states']; context: ClusterContext },
  datasetId: Id,
  indexes: readonly string[],
) {
  const { states, context } = cluster
  const next = (await states.find(toNextId(datasetId))) ? await states.take(toNextId(datasetId)) : null
  if (next) {
    await discard(cluster, next, datasetId)
    await next.remove()
  }
  // States are read after the indexes were listed. This is safe because the name of an index is saved in a state before the index
  // is created.
  const named = [(await states.find(datasetId))?.index, (await states.find(toNextId(datasetId)))?.index]
  for (const index of indexes) if (!named.includes(index)) await deleteIndex(context.client, index)
}
