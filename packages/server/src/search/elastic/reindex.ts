/**
 * Builds a new index while the old one is still in use, then switches to it.
 *
 * The new index has a separate state and lease. If the work is interrupted, that state still refers to the index, so that the
 * next reindex or the indexer deletes it.
 */
import type { IndexedDataset, Progress } from '../engine.ts'
import { takeLease } from './catch-up.ts'
import { EngineUnavailable, LeaseLost } from './errors.ts'
import { deleteIndex, switchAlias } from './indexes.ts'
import type { HeldState, States } from './states.ts'
import { type ClusterContext, workOn } from './work.ts'

/** Longer than the duration of a lease that is not renewed. */
const LEASE_WAIT_MS = 10_000
/** Long, because a process that fills a large index holds its lease for a long time. */
const SWITCH_WAIT_MS = 3_600_000

/** The id of the state of an index under construction. */
export const toNextId = (datasetId: string) => `${datasetId}.next`

interface Cluster {
  context: ClusterContext
  states: States
}

export async function reindex({ context, states }: Cluster, dataset: IndexedDataset, progress: Progress): Promise<number> {
  if (!dataset.published) return 0
  const next = await takeLease(states, toNextId(dataset.id), LEASE_WAIT_MS)
  let done = 0
  const onFilled = (records: number) => {
    done += records
    progress(done)
  }
  try {
    await discard({ context, states }, next, dataset.id)
    const outcome = await workOn(context, next, { datasetId: dataset.id, onFilled, isServing: false })
    // Any other outcome means that the dataset was deleted in the meantime.
    if (outcome === 'done') await switchTo({ context, states }, next, dataset.id)
  } catch (error) {
    if (error instanceof LeaseLost) throw new EngineUnavailable('Another process builds this search index anew')
    throw error
  } finally {
    await next.release()
  }
  return done
}

/** Deletes the index of an interrupted reindex, unless it is in use. */
export async function discard({ context, states }: Cluster, next: HeldState, datasetId: string): Promise<void> {
  const { index } = next.state
  const serving = await states.find(datasetId)
  await next.save({ index: null, settings: null, fill: null, change_no: 0, change_at: null, refused: [] })
  if (index !== null && index !== serving?.index) await deleteIndex(context.client, index)
}

async function switchTo({ context, states }: Cluster, next: HeldState, datasetId: string): Promise<void> {
  const serving = await takeLease(states, datasetId, SWITCH_WAIT_MS)
  try {
    // While this lease is held, no other process updates the old index, so the new one is at least as recent afterwards.
    if ((await workOn(context, next, { datasetId, isServing: false })) !== 'done') return
    const { index, change_no, change_at, settings, fill, refused } = next.state
    const replaced = serving.state.index
    await serving.save({ index, change_no, change_at, settings, fill, refused })
    await next.remove()
    if (index !== null) await switchAlias(context.client, context.config.indexPrefix, datasetId, index)
    if (replaced !== null && replaced !== index) await deleteIndex(context.client, replaced)
  } finally {
    await serving.release()
  }
}
