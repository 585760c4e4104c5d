/** Updates one index while holding its lease: follows the log and fills in missing records. */
import type { Id } from '@postil/domain/schema'
import type { Logger } from 'pino'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import type { ElasticConfig } from '../../search-settings.ts'
import type { Database } from '../../storage/database.ts'
import type { EngineClient } from './client.ts'
import { IndexLost, isMissingIndex } from './errors.ts'
import type { Flavour } from './flavour.ts'
import { createIndex, deleteIndex, growMapping, switchAlias, toIndexName } from './indexes.ts'
import { readSmallUpdate, readWork, readWrites, SettingsChanged, type Work } from './read-work.ts'
import { toRefill } from './settings-stamp.ts'
import type { HeldState, IndexState, RefusedDocument } from './states.ts'
import { type DocumentWrite, writeDocuments } from './write-documents.ts'

export interface ClusterContext {
  client: EngineClient
  config: ElasticConfig
  flavour: Flavour
  db: Database
  /** Recorded in new indexes (leftovers.ts). */
  databaseId: string
  log: Logger
}

export interface WorkOptions {
  datasetId: Id
  /** Checked between steps. */
  isOver?: () => boolean
  /** Called with the number of records that were filled in by a step. */
  onFilled?: (records: number) => void
  /** True if the alias switches to a new index immediately. A reindex switches it at the end. */
  isServing: boolean
}

/** Maximum number of rejected documents in a state. */
const REFUSED_MAX = 100

/** `gone`: the dataset has no index and needs none. `more`: `isOver` returned true before the work was done. */
export type WorkOutcome = 'done' | 'gone' | 'more'

/** Works until the index is up to date with the database. Throws LeaseLost if another process takes over. */
export async function workOn(context: ClusterContext, held: HeldState, options: WorkOptions): Promise<WorkOutcome> {
  const { isOver = () => false } = options
  for (;;) {
    const work = await readWork(context.db, { datasetId: options.datasetId, flavour: context.flavour }, held.state)
    if (work.kind === 'done') return 'done'
    if (work.kind === 'deleted' || work.kind === 'draft') {
      if (held.state.index !== null) await deleteIndex(context.client, held.state.index)
      await held.remove()
      return 'gone'
    }
    if (isOver()) return 'more'
    await runStep(context, held, work, options)
  }
}

async function runStep(
  context: ClusterContext,
  held: HeldState,
  work: Exclude<Work, { kind: 'done' | 'deleted' | 'draft' }>,
  options: WorkOptions,
) {
  try {
    if (work.kind === 'new') await createNewIndex(context, held, work, options)
    else if (work.kind === 'settings') await grow(context, held, work)
    else await writeRecords(context, held, work, options)
  } catch (error) {
    if (error instanceof SettingsChanged) return
    if (!(error instanceof IndexLost) && !isMissingIndex(error)) throw error
    context.log.warn({ dataset_id: options.datasetId, index: held.state.index }, 'the search index is gone; a new one is made')
    await held.save({ index: null, fill: null })
  }
}

/** Creates a new index. Its name is saved in the state first, so an index that no state refers to is never in use. */
async function createNewIndex(
  { client, config, flavour, databaseId }: ClusterContext,
  held: HeldState,
  { settings, stamp, changeNo, changeAt }: Extract<Work, { kind: 'new' }>,
  { datasetId, isServing }: WorkOptions,
): Promise<void> {
  const replaced = held.state.index
  const index = toIndexName(config.indexPrefix, datasetId)
  await held.save({ index, settings: null, fill: { after: 0, ids: null } })
  await createIndex(client, index, settings, { config, flavour, databaseId })
  const fill = { after: 0, ids: null }
  await held.save({ index, change_no: changeNo, change_at: changeAt, settings: stamp, fill, refused: [] })
  if (isServing) await switchAlias(client, config.indexPrefix, datasetId, index)
  if (replaced !== null) await deleteIndex(client, replaced)
}

async function grow(
  { client, flavour }: ClusterContext,
  held: HeldState,
  { settings, stamp }: { settings: DatasetSettings; stamp: string },
): Promise<void> {
  const { index, settings: before, fill } = held.state
  await growMapping(client, index as string, settings, flavour)
  await held.save({ settings: stamp, fill: toRefill(before as string, stamp, fill) })
}

async function writeRecords(
  context: ClusterContext,
  held: HeldState,
  { log, fill }: Extract<Work, { kind: 'records' }>,
  options: WorkOptions,
): Promise<void> {
  const recordNos = [...new Set([...(log?.recordNos ?? []), ...(fill?.recordNos ?? [])])]
  const refused = await writeAll(context, held, options.datasetId, recordNos)
  await held.save({
    ...(log && { change_no: log.changeNo, change_at: log.changeAt }),
    ...(fill && { fill: fill.after === null ? null : { after: fill.after, ids: held.state.fill?.ids ?? null } }),
    ...(refused && { refused }),
  })
  if (fill) options.onFilled?.(fill.recordNos.length)
}

/**
 * Writes the changes if there are few, and returns the change that was reached. Returns `done` if there are none, and null if
 * there are too many or if they need more than document writes.
 */
export async function writeSmallUpdate(
  { client, db, flavour }: ClusterContext,
  datasetId: Id,
  state: IndexState,
  options: { isRefreshed?: boolean } = {},
): Promise<Pick<IndexState, 'change_no' | 'change_at'> | 'done' | null> {
  // Rejected documents are recorded only under a lease.
  if (state.refused.length > 0) return null
  const few = await readSmallUpdate(db, { datasetId, flavour }, state)
  if (few === null || few === 'done') return few
  try {
    const refused = await writeDocuments(client, state.index as string, few.writes, options)
    return refused.length > 0 ? null : { change_no: few.changeNo, change_at: few.changeAt }
  } catch (error) {
    if (error instanceof IndexLost) return null
    throw error
  }
}

/** Number of concurrent bulk requests. More than one, because the engine uses one thread for each. */
const WRITES_IN_FLIGHT = 2

/**
 * Reads the next batch while others are written. Returns the current list of rejected documents, or null if it has not changed.
 */
async function writeAll(
  context: ClusterContext,
  held: HeldState,
  datasetId: Id,
  recordNos: readonly number[],
): Promise<RefusedDocument[] | null> {
  const { client, db, flavour } = context
  const { index, settings: stamp, refused: before } = held.state
  const written = new Set<string>()
  const refused: RefusedDocument[] = []
  const write = async (writes: DocumentWrite[]) => {
    held.check()
    for (const { recordId, recordNo } of writes) written.add(recordId ?? String(recordNo))
    refused.push(...(await writeDocuments(client, index as string, writes)))
  }
  const writing: Promise<void>[] = []
  try {
    for await (const writes of readWrites(db, { datasetId, stamp, flavour }, recordNos)) {
      if (writing.length === WRITES_IN_FLIGHT) await writing.shift()
      const started = write(writes)
      // Awaited later. Prevents an unhandled rejection until then.
      started.catch(() => undefined)
      writing.push(started)
    }
    await Promise.all(writing)
  } finally {
    // Waits for all writes, because the lease is released after this.
    await Promise.allSettled(writing)
  }
  if (refused.length === 0 && !before.some(({ record_id }) => written.has(record_id))) return null
  for (const { record_id, reason } of refused)
    context.log.error({ dataset_id: datasetId, record_id, reason }, 'the search engine refuses a record; searches do not find it')
  return [...refused, ...before.filter(({ record_id }) => !written.has(record_id))].slice(0, REFUSED_MAX)
}
