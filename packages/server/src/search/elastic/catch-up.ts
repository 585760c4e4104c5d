/** Brings indexes up to date with the database. Any thread of any process can do this, but only one at a time for each index. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Id } from '@postil/domain/schema'
import { EngineUnavailable, LeaseLost } from './errors.ts'
import { hasIndex } from './indexes.ts'
import type { HeldState, States } from './states.ts'
import { type ClusterContext, type WorkOptions, type WorkOutcome, workOn, writeSmallUpdate } from './work.ts'

/** `held`: another process or thread is working on the index. */
export type CatchUpOutcome = WorkOutcome | 'held'

export interface CatchUp {
  /** Works on the index of a dataset unless another process does. Concurrent calls in this thread share the result. */
  run(datasetId: Id, isOver?: () => boolean): Promise<CatchUpOutcome>
  /** Checks whether the index of a dataset was deleted. If so, updates the state, so that the next run creates a new index. */
  noteLost(datasetId: Id): Promise<void>
}

export function createCatchUp(states: States, openContext: () => Promise<ClusterContext>): CatchUp {
  const running = new Map<Id, Promise<CatchUpOutcome>>()

  const work = async (datasetId: Id, isOver: () => boolean): Promise<CatchUpOutcome> => {
    const context = await openContext()
    const quick = await workQuickly(context, states, datasetId)
    if (quick !== null) return quick
    const held = await states.take(datasetId)
    return held === null ? 'held' : withLease(context, held, { datasetId, isOver, isServing: true })
  }

  return {
    run: (datasetId, isOver = () => false) => {
      const known = running.get(datasetId)
      if (known) return known
      const started = work(datasetId, isOver).finally(() => running.delete(datasetId))
      running.set(datasetId, started)
      return started
    },
    noteLost: async datasetId => {
      const { client } = await openContext()
      const held = await states.take(datasetId)
      const index = held?.state.index ?? null
      if (index !== null && !(await hasIndex(client, index))) await held?.save({ index: null, fill: null })
      await held?.release()
    },
  }
}

/**
 * Handles small changes without a lease, because taking one would take longer than the work. Another process may do the same
 * concurrently: documents are versioned, and only one of them saves the state. Returns null if a lease is necessary.
 */
async function workQuickly(context: ClusterContext, states: States, datasetId: Id): Promise<CatchUpOutcome | null> {
  const stored = await states.find(datasetId)
  if (stored?.holder) return null
  const written = stored && (await writeSmallUpdate(context, datasetId, stored))
  if (!written) return null
  if (written === 'done') return 'done'
  return (await states.replace(datasetId, stored, written)) ? 'done' : 'held'
}

export async function withLease(context: ClusterContext, held: HeldState, options: WorkOptions): Promise<CatchUpOutcome> {
  try {
    const outcome = await workOn(context, held, options)
    if (outcome !== 'gone') await held.release()
    return outcome
  } catch (error) {
    if (error instanceof LeaseLost) return 'held'
    // If the engine is unavailable, it would not answer this request either, and a search may be waiting.
    const released = release(context, held)
    if (!(error instanceof EngineUnavailable)) await released
    throw error
  }
}

/** Releases a lease and ignores errors, because an unreleased lease expires, and the original error matters more. */
async function release({ log }: ClusterContext, held: HeldState): Promise<void> {
  try {
    await held.release()
  } catch (error) {
    log.debug({ err: error }, 'the lease of a search index was not given back')
  }
}

/** Short, because other processes release a lease only briefly while there is more work. */
const PAUSE_MS = 25

/** Waits for a lease that another process may hold, for work that this process must do itself. */
export async function takeLease(states: States, id: string, waitMs: number): Promise<HeldState> {
  const startedAt = performance.now()
  for (;;) {
    const held = await states.take(id)
    if (held) return held
    if (performance.now() - startedAt > waitMs) throw new EngineUnavailable('Another process works on this search index')
    await delay(PAUSE_MS)
  }
}
