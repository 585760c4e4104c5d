/**
 * Waits until the index of a dataset includes what a search must see, and can be searched.
 *
 * What was written is found after a refresh. A thread remembers up to which change an index was refreshed, for a moment, so that searches
 * without writes in between ask the engine once.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { RetryLater } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { SearchedDataset } from '../engine.ts'
import type { CatchUp } from './catch-up.ts'
import type { EngineClient } from './client.ts'
import { EngineError, EngineUnavailable, IndexLost, isMissingIndex, isStarting, WritesRefused } from './errors.ts'
import { refreshIndex } from './indexes.ts'
import { isLacking } from './settings-stamp.ts'
import type { Fill, States, StoredState } from './states.ts'

/** How long it is taken for granted that an index still is what it was: it may be restored from a backup, or be built anew. */
const KNOWN_MS = 1_000
const PAUSE_MS = { first: 5, most: 200 }
const RETRY_SECONDS = 2

interface Known {
  index: string
  /** The index was refreshed when it had reached this. */
  changeNo: number
  fill: Fill | null
  atMs: number
}

export interface ReadyOptions {
  client: EngineClient
  states: States
  catchUp: CatchUp
  waitMs: number
  /** Whether the process has an indexer: searches then leave to it what takes long. */
  isFollowed: boolean
  /** Called again and again while a search waits. */
  onWait(): void
}

export interface Ready {
  /** The index to search. Throws `unavailable` if it does not get there in time. */
  wait(dataset: SearchedDataset, query: SearchQuery | CountQuery): Promise<string>
  /** What is known of a dataset's index is wrong. */
  forget(datasetId: Id): void
}

export function openReady({ client, states, catchUp, waitMs, isFollowed, onWait }: ReadyOptions): Ready {
  const { findKnown, look, forget } = openLooking(client, states)

  /** Null if the index is not there yet. */
  const tryOnce = async (dataset: SearchedDataset, query: SearchQuery | CountQuery, isOver: () => boolean) => {
    try {
      const state = await look(dataset)
      const found = findKnown(dataset, query)
      if (found !== null) return found
      if (!isFollowed || isNear(state, dataset)) await catchUp.run(dataset.id, isOver)
    } catch (error) {
      if (isStarting(error)) return null
      if (!isLost(error)) throw error
      forget(dataset.id)
      await catchUp.noteLost(dataset.id)
    }
    return null
  }

  return {
    wait: async (dataset, query) => {
      const first = findKnown(dataset, query)
      if (first !== null) return first
      const startedAt = performance.now()
      const isOver = () => performance.now() - startedAt > waitMs
      for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
        onWait()
        const found = await tryOnce(dataset, query, isOver).catch(refuse)
        if (found !== null) return found
        if (isOver()) throw behind(waitMs)
        await delay(pauseMs)
      }
    },
    forget,
  }
}

/** How far indexes are, as this thread knows it. */
function openLooking(client: EngineClient, states: States) {
  const known = new Map<Id, Known>()
  const looking = new Map<Id, Promise<StoredState | null>>()

  const findKnown = (dataset: SearchedDataset, query: SearchQuery | CountQuery): string | null => {
    const found = known.get(dataset.id)
    if (!found || performance.now() - found.atMs > KNOWN_MS) return null
    return found.changeNo >= dataset.changeNo && !isLacking(found.fill, query) ? found.index : null
  }

  /** Reads how far the index is, and refreshes it if it is far enough for somebody. */
  const look = async ({ id, changeNo }: SearchedDataset): Promise<StoredState | null> => {
    const atMs = performance.now()
    const state = await states.find(id)
    if (!state?.index || state.settings === null || state.change_no < changeNo) return state
    const before = known.get(id)
    const isRefreshed = before?.index === state.index && before.changeNo >= state.change_no && isSameFill(before.fill, state.fill)
    if (!isRefreshed) await refreshIndex(client, state.index)
    known.set(id, { index: state.index, changeNo: state.change_no, fill: state.fill, atMs })
    return state
  }

  /** One look at a time for each dataset, which all who wait share. */
  const lookTogether = (dataset: SearchedDataset): Promise<StoredState | null> => {
    const running = looking.get(dataset.id)
    if (running) return running
    const started = look(dataset).finally(() => looking.delete(dataset.id))
    looking.set(dataset.id, started)
    return started
  }

  return { findKnown, look: lookTogether, forget: (datasetId: Id) => void known.delete(datasetId) }
}

/** So few changes are indexed by whoever needs them. */
const NEAR_MAX = 50

const isNear = (state: StoredState | null, { changeNo }: SearchedDataset) =>
  state?.index != null && state.fill === null && changeNo - state.change_no <= NEAR_MAX

/** While records are filled in, the same change number does not mean the same documents. */
const isSameFill = (before: Fill | null, now: Fill | null) => before === null && now === null

/** Somebody has deleted the index, or has just replaced it. */
export const isLost = (error: unknown): boolean => error instanceof IndexLost || isMissingIndex(error)

const behind = (waitMs: number) =>
  new RetryLater(
    'unavailable',
    `The search index of this dataset did not reach the latest changes within ${waitMs / 1000} seconds. Try again in a moment.`,
    RETRY_SECONDS,
  )

const NOT_WRITABLE =
  'The search engine does not accept changes at the moment, so a search would miss the latest ones. Records are stored all the same. Try again later.'

/** What callers are told of failures of the engine. Anything else is an error of ours. */
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

/** Of the work on an index, everything that the engine refuses. */
const refuse = (error: unknown): never => {
  if (!(error instanceof EngineError) || isDenied(error)) return rethrow(error)
  const reason = 'The search engine refuses to index this dataset; the log of the server says why.'
  throw new RetryLater('unavailable', reason, RETRY_SECONDS)
}

const isDenied = ({ status }: EngineError) => status === 401 || status === 403

export const rethrow = (error: unknown): never => {
  throw toRetryLater(error)
}
