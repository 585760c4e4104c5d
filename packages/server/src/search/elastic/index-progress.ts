/**
 * Tracks the progress of indexes within one thread, and applies small updates on demand.
 *
 * Written documents can be found after a refresh. If a search needs a few more changes than the index has, it writes them itself
 * and refreshes with the same request; all concurrent searches share it. The state in the cluster is saved afterwards, so it may
 * be behind the index but never ahead of it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Id } from '@postil/domain/schema'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import type { SearchedDataset } from '../engine.ts'
import { refreshIndex } from './indexes.ts'
import { isCurrentFormat, isIncompleteFor } from './settings-stamp.ts'
import type { IndexState, States, StoredState } from './states.ts'
import { type ClusterContext, writeSmallUpdate } from './work.ts'

/** How long a cached state is valid. Limited because the index may be restored from a backup or rebuilt. */
const KNOWN_MS = 1_000
/** Progress within this time is saved together. */
const SAVE_MS = 50

/** Cached state of a searchable index. */
interface CachedState {
  /** The state in the cluster. */
  stored: Searchable
  /**
   * Time at which the state was requested or successfully replaced. Time spent on updating the index is added, so that it does
   * not count.
   */
  atMs: number
  /** The change that searches include: that of the state, or a later one that this thread has written. */
  reached: Pick<IndexState, 'change_no' | 'change_at'>
  isSaving: boolean
}

export interface IndexProgress {
  /** Returns the index to search if the cached state includes everything that the query needs. */
  findSearchable(dataset: SearchedDataset, query: SearchQuery | CountQuery): string | null
  /**
   * Updates the index if only a few changes are missing, and refreshes it if it includes the changes that the request has seen.
   * Returns its state, or null if there is none. `isEnough` returns true if the result of a concurrent call is sufficient.
   */
  update(dataset: SearchedDataset, isEnough: () => boolean): Promise<IndexState | null>
  forget(datasetId: Id): void
}

export function createIndexProgress(states: States, openContext: () => Promise<ClusterContext>): IndexProgress {
  const known = new Map<Id, CachedState>()
  const updates = new Map<Id, Promise<IndexState | null>>()
  const isFresh = ({ atMs }: CachedState) => performance.now() - atMs <= KNOWN_MS

  const findSearchable = (dataset: SearchedDataset, query: SearchQuery | CountQuery): string | null => {
    const found = known.get(dataset.id)
    if (!found || !isFresh(found) || found.reached.change_no < dataset.changeNo) return null
    return isIncompleteFor(found.stored.fill, query) ? null : found.stored.index
  }

  const save = async (id: Id, context: ClusterContext, now: CachedState): Promise<void> => {
    if (now.isSaving || now.stored.holder !== null) return
    now.isSaving = true
    await saveReached(states, id, context, now)
    now.isSaving = false
    // Another process has changed the state, so it must be read again.
    if (now.reached.change_no > now.stored.change_no && known.get(id) === now) known.delete(id)
  }

  const update = async ({ id, changeNo }: SearchedDataset): Promise<IndexState | null> => {
    const context = await openContext()
    const before = known.get(id)
    const startedAt = performance.now()
    const stored = before && isFresh(before) ? before.stored : await states.find(id)
    if (!isSearchable(stored) || !isCurrentFormat(stored.settings, context.flavour)) return stored
    const now = stored === before?.stored ? before : { stored, atMs: startedAt, reached: stored, isSaving: false }
    const isRefreshed = now === before || isAsRefreshed(before, stored)
    if (changeNo > now.reached.change_no && changeNo - now.reached.change_no <= NEAR_MAX) {
      const written = await writeSmallUpdate(context, id, { ...stored, ...now.reached }, { isRefreshed })
      if (written === null || written === 'done') known.delete(id)
      else now.reached = written
    }
    if (now.reached.change_no >= changeNo) {
      if (!isRefreshed) await refreshIndex(context.client, stored.index)
      // Excludes the duration of the update, so that the waiting searches can use the cached state.
      now.atMs += performance.now() - startedAt
      known.set(id, now)
      void save(id, context, now)
    }
    return { ...stored, ...now.reached }
  }

  /**
   * Runs one call at a time for each dataset. Callers that arrive during a call share the next one, because the running one may
   * have started too early for them.
   */
  const updateTogether = async (dataset: SearchedDataset, isEnough: () => boolean): Promise<IndexState | null> => {
    const running = await updates.get(dataset.id)
    if (running && isEnough()) return running
    const next = updates.get(dataset.id) ?? update(dataset).finally(() => updates.delete(dataset.id))
    updates.set(dataset.id, next)
    return next
  }

  return { findSearchable, update: updateTogether, forget: datasetId => void known.delete(datasetId) }
}

/** Saves the progress if the state has no lease. The holder of a lease saves it itself. */
async function saveReached(states: States, id: Id, { log }: ClusterContext, now: CachedState): Promise<void> {
  try {
    while (now.reached.change_no > now.stored.change_no) {
      await delay(SAVE_MS, undefined, { ref: false })
      const atMs = performance.now()
      const stored = await states.replace(id, now.stored, now.reached)
      if (!isSearchable(stored)) return
      Object.assign(now, { stored, atMs })
    }
  } catch (error) {
    // Ignored, because other processes repeat the work, and the next request to the engine reports the error to its caller.
    log.debug({ err: error, dataset_id: id }, 'the state of a search index was not saved')
  }
}

/** Up to this number of missing changes, a search updates the index itself. */
export const NEAR_MAX = 50

type Searchable = StoredState & { index: string; settings: string }

const isSearchable = (state: StoredState | null): state is Searchable => state?.index != null && state.settings !== null

/**
 * True if this thread has already refreshed the index at this state. While records are being filled in, the same change number
 * can mean different documents.
 */
const isAsRefreshed = (before: CachedState | undefined, { index, change_no, fill }: StoredState): boolean =>
  before?.stored.index === index && before.reached.change_no >= change_no && before.stored.fill === null && fill === null
