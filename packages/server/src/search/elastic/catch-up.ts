/** Brings indexes to where the database is: any thread of any process may do it, one at a time for each index. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Id } from '@postil/domain/schema'
import { EngineUnavailable, LeaseLost } from './errors.ts'
import { hasIndex } from './indexes.ts'
import type { HeldState, States } from './states.ts'
import { type Outcome, type WorkOptions, type Workshop, workOn, writeFew } from './work.ts'

/** `held`: another process or thread works on the index. */
export type CatchUpOutcome = Outcome | 'held'

export interface CatchUp {
  /** Works on the index of a dataset, unless somebody else does. Those who ask meanwhile, in this thread, get the same answer. */
  run(datasetId: Id, isOver?: () => boolean): Promise<CatchUpOutcome>
  /** Notes that the index of a dataset was deleted, if it was, so that the next run makes a new one. */
  noteLost(datasetId: Id): Promise<void>
}

export function openCatchUp(states: States, openShop: () => Promise<Workshop>): CatchUp {
  const running = new Map<Id, Promise<CatchUpOutcome>>()

  const work = async (datasetId: Id, isOver: () => boolean): Promise<CatchUpOutcome> => {
    const shop = await openShop()
    const quick = await workQuickly(shop, states, datasetId)
    if (quick !== null) return quick
    const held = await states.take(datasetId)
    return held === null ? 'held' : withLease(shop, held, { datasetId, isOver, isServing: true })
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
      const { client } = await openShop()
      const held = await states.take(datasetId)
      const index = held?.state.index ?? null
      if (index !== null && !(await hasIndex(client, index))) await held?.save({ index: null, fill: null })
      await held?.release()
    },
  }
}

/**
 * Does little work without a lease, which would take longer than the work. Another process may do the same at the same time: documents have
 * versions, and only one of the two saves the state. Null if it takes a lease.
 */
async function workQuickly(shop: Workshop, states: States, datasetId: Id): Promise<CatchUpOutcome | null> {
  const stored = await states.find(datasetId)
  if (stored?.holder) return null
  const written = stored && (await writeFew(shop, datasetId, stored))
  if (!written) return null
  if (written === 'done') return 'done'
  return (await states.replace(datasetId, stored, written)) ? 'done' : 'held'
}

export async function withLease(shop: Workshop, held: HeldState, options: WorkOptions): Promise<CatchUpOutcome> {
  try {
    const outcome = await workOn(shop, held, options)
    if (outcome !== 'gone') await held.release()
    return outcome
  } catch (error) {
    if (error instanceof LeaseLost) return 'held'
    // An engine that does not answer would not answer this either, and somebody may wait for a search.
    const released = release(shop, held)
    if (!(error instanceof EngineUnavailable)) await released
    throw error
  }
}

/** A lease that cannot be given back ends by itself; what went wrong before counts. */
async function release({ log }: Workshop, held: HeldState): Promise<void> {
  try {
    await held.release()
  } catch (error) {
    log.debug({ err: error }, 'the lease of a search index was not given back')
  }
}

/** Short, because others give a lease back only for a moment while there is more to do. */
const PAUSE_MS = 25

/** Takes a lease that others may hold, for work that has to be done by this process. */
export async function takeLease(states: States, id: string, waitMs: number): Promise<HeldState> {
  const startedAt = performance.now()
  for (;;) {
    const held = await states.take(id)
    if (held) return held
    if (performance.now() - startedAt > waitMs) throw new EngineUnavailable('Another process works on this search index')
    await delay(PAUSE_MS)
  }
}
