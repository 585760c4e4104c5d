/** Waits until the index of a dataset is searchable and includes all changes that a search must see. */
import { setTimeout as delay } from 'node:timers/promises'
import { RetryLater } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { SearchedDataset } from '../engine.ts'
import type { CatchUp } from './catch-up.ts'
import { EngineError, EngineUnavailable, IndexLost, isMissingIndex, isStarting, WritesRefused } from './errors.ts'
import { type IndexProgress, NEAR_MAX } from './index-progress.ts'
import type { IndexState } from './states.ts'

const PAUSE_MS = { first: 5, most: 200 }
const RETRY_SECONDS = 2

export interface ReadinessOptions {
  progress: IndexProgress
  catchUp: CatchUp
  waitMs: number
  /** True if the process has an indexer. Searches then leave longer updates to it. */
  isFollowed: boolean
  /** Called repeatedly while a search waits. */
  onWait(): void
}

export interface Readiness {
  /** Returns the index to search. Throws `unavailable` if it is not ready in time. */
  wait(dataset: SearchedDataset, query: SearchQuery | CountQuery): Promise<string>
  /** Discards the cached state of a dataset's index. */
  forget(datasetId: Id): void
}

export function createReadiness({ progress, catchUp, waitMs, isFollowed, onWait }: ReadinessOptions): Readiness {
  const { findSearchable, update, forget } = progress

  /** Returns the name of the index, or its state if it is not ready. */
  const tryOnce = async (
    dataset: SearchedDataset,
    query: SearchQuery | CountQuery,
    isOver: () => boolean,
  ): Promise<ReadyResult> => {
    let state: IndexState | null = null
    try {
      state = await update(dataset, () => findSearchable(dataset, query) !== null)
      const found = findSearchable(dataset, query)
      if (found !== null) return found
      if (!isFollowed || isNear(state, dataset)) await catchUp.run(dataset.id, isOver)
    } catch (error) {
      if (isStarting(error)) return state
      if (!isLost(error)) throw error
      forget(dataset.id)
      await catchUp.noteLost(dataset.id)
    }
    return state
  }

  return {
    wait: async (dataset, query) => {
      const first = findSearchable(dataset, query)
      if (first !== null) return first
      const startedAt = performance.now()
      const isOver = () => performance.now() - startedAt > waitMs
      for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
        const tried = await tryOnce(dataset, query, isOver).catch(refuse)
        // The time limit of a read starts after the wait.
        onWait()
        if (typeof tried === 'string') return tried
        if (isOver()) throw toBehindError(dataset, tried, waitMs)
        await delay(pauseMs)
      }
    },
    forget,
  }
}

type ReadyResult = string | IndexState | null

const isNear = (state: IndexState | null, { changeNo }: SearchedDataset) =>
  state?.index != null && state.fill === null && changeNo - state.change_no <= NEAR_MAX

/** True if the index was deleted or has just been replaced. */
export const isLost = (error: unknown): boolean => error instanceof IndexLost || isMissingIndex(error)

/** The message says how far the index is behind, because the search itself may be cheap. */
function toBehindError({ changeNo }: SearchedDataset, state: IndexState | null, waitMs: number): RetryLater {
  const lag = changeNo - (state?.change_no ?? 0)
  const isBuilt = state?.index != null && state.fill === null
  const what = isBuilt ? `is ${lag} ${lag === 1 ? 'change' : 'changes'} behind` : 'is still being built'
  const seconds = waitMs === 1000 ? '1 second' : `${waitMs / 1000} seconds`
  const text = `The search index of this dataset ${what}; the search waited ${seconds} for it. Try again in a moment.`
  return new RetryLater('unavailable', text, RETRY_SECONDS)
}

const NOT_WRITABLE =
  'The search engine does not accept changes at the moment, so a search would miss the latest ones. Records are stored all the same. Try again later.'

/** Converts engine failures to errors for callers. Any other error is a bug and stays unchanged. */
export function toRetryLater(error: unknown): unknown {
  if (error instanceof WritesRefused) return new RetryLater('unavailable', NOT_WRITABLE, RETRY_SECONDS)
  if (error instanceof EngineUnavailable)
    return new RetryLater(
      'unavailable',
      'The search engine cannot be reached at the moment. Records are stored all the same. Try again in a moment.',
      RETRY_SECONDS,
    )
  if (error instanceof EngineError && isDenied(error))
    return new RetryLater(
      'unavailable',
      'The search engine refuses the credentials of this server. Its operator must mend that.',
      RETRY_SECONDS,
    )
  return error
}

/** Converts errors of index updates, including all requests that the engine rejects. */
const refuse = (error: unknown): never => {
  if (!(error instanceof EngineError) || isDenied(error)) return rethrow(error)
  const reason = 'The search engine refuses to index this dataset; the log of the server says why.'
  throw new RetryLater('unavailable', reason, RETRY_SECONDS)
}

const isDenied = ({ status }: EngineError) => status === 401 || status === 403

export const rethrow = (error: unknown): never => {
  throw toRetryLater(error)
}
