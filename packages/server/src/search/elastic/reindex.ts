/**
 * Builds a new index while the old one serves, then switches to it.
 *
 * The new index has a state of its own, with a lease of its own. If the work is interrupted, that state still names the index, so that the next
 * reindex or the indexer deletes it.
 */
import type { IndexedDataset, Progress } from '../engine.ts'
import { takeLease } from './catch-up.ts'
import { EngineUnavailable, LeaseLost } from './errors.ts'
import { deleteIndex, switchAlias } from './indexes.ts'
import type { HeldState, States } from './states.ts'
import { type Workshop, workOn } from './work.ts'

/** Longer than a lease lasts that nobody renews. */
const LEASE_WAIT_MS = 10_000
/** Whoever fills in a large index keeps its lease for long. */
const SWITCH_WAIT_MS = 3_600_000

/** The id of the state of an index that is being built. */
export const toNextId = (datasetId: string) => `${datasetId}.next`

interface Cluster {
  shop: Workshop
  states: States
}

export async function reindex({ shop, states }: Cluster, dataset: IndexedDataset, progress: Progress): Promise<number> {
  if (!dataset.published) return 0
  const next = await takeLease(states, toNextId(dataset.id), LEASE_WAIT_MS)
  let done = 0
  const onFilled = (records: number) => {
    done += records
    progress(done)
  }
  try {
    await discard({ shop, states }, next, dataset.id)
    const outcome = await workOn(shop, next, { datasetId: dataset.id, onFilled, isServing: false })
    // Otherwise the dataset was deleted meanwhile.
    if (outcome === 'done') await switchTo({ shop, states }, next, dataset.id)
  } catch (error) {
    if (error instanceof LeaseLost) throw new EngineUnavailable('Another process builds this search index anew')
    throw error
  } finally {
    await next.release()
  }
  return done
}

/** Deletes what an interrupted reindex has left, unless that index is in use by now. */
export async function discard({ shop, states }: Cluster, next: HeldState, datasetId: string): Promise<void> {
  const { index } = next.state
  const serving = await states.find(datasetId)
  await next.save({ index: null, settings: null, fill: null, change_no: 0, change_at: null, refused: [] })
  if (index !== null && index !== serving?.index) await deleteIndex(shop.client, index)
}

async function switchTo({ shop, states }: Cluster, next: HeldState, datasetId: string): Promise<void> {
  const serving = await takeLease(states, datasetId, SWITCH_WAIT_MS)
  try {
    // Nobody else moves the old index now, so the new one is at least as far when this is done.
    if ((await workOn(shop, next, { datasetId, isServing: false })) !== 'done') return
    const { index, change_no, change_at, settings, fill, refused } = next.state
    const replaced = serving.state.index
    await serving.save({ index, change_no, change_at, settings, fill, refused })
    await next.remove()
    if (index !== null) await switchAlias(shop.client, shop.config.indexPrefix, datasetId, index)
    if (replaced !== null && replaced !== index) await deleteIndex(shop.client, replaced)
  } finally {
    await serving.release()
  }
}
