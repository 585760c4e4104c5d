/** The work on one index, by whoever holds its lease: follow the log, and fill in what is missing. */
import type { Id } from '@postil/domain/schema'
import type { Logger } from 'pino'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import type { ElasticConfig } from '../../search-settings.ts'
import type { Database } from '../../storage/database.ts'
import type { EngineClient } from './client.ts'
import { IndexLost, isMissingIndex } from './errors.ts'
import type { Flavour } from './flavour.ts'
import { createIndex, deleteIndex, growMapping, switchAlias, toIndexName } from './indexes.ts'
import { readWork, readWrites, SettingsChanged, type Work } from './read-work.ts'
import { toRefill } from './settings-stamp.ts'
import type { HeldState, IndexState, Refused } from './states.ts'
import { type Write, writeDocuments } from './write-documents.ts'

export interface Workshop {
  client: EngineClient
  config: ElasticConfig
  flavour: Flavour
  db: Database
  log: Logger
}

export interface WorkOptions {
  datasetId: Id
  /** Asked between two steps. */
  isOver?: () => boolean
  /** Told how many more records were filled in. */
  onFilled?: (records: number) => void
  /** Whether the alias follows a new index at once; a reindex switches it at the end. */
  isServing: boolean
}

/** How many refused documents a state lists. */
const REFUSED_MAX = 100

/** `gone`: there is no index, nor shall there be one. `more`: it was over before everything was done. */
export type Outcome = 'done' | 'gone' | 'more'

/** Works until the index is where the database is. Throws LeaseLost if another process takes over. */
export async function workOn(shop: Workshop, held: HeldState, options: WorkOptions): Promise<Outcome> {
  const { isOver = () => false } = options
  for (;;) {
    const work = await readWork(shop.db, options.datasetId, held.state)
    if (work.kind === 'done') return 'done'
    if (work.kind === 'deleted' || work.kind === 'draft') {
      if (held.state.index !== null) await deleteIndex(shop.client, held.state.index)
      await held.remove()
      return 'gone'
    }
    if (isOver()) return 'more'
    await doWork(shop, held, work, options)
  }
}

async function doWork(
  shop: Workshop,
  held: HeldState,
  work: Exclude<Work, { kind: 'done' | 'deleted' | 'draft' }>,
  options: WorkOptions,
) {
  try {
    if (work.kind === 'new') await startAnew(shop, held, work, options)
    else if (work.kind === 'settings') await grow(shop, held, work)
    else await writeRecords(shop, held, work, options)
  } catch (error) {
    if (error instanceof SettingsChanged) return
    if (!(error instanceof IndexLost) && !isMissingIndex(error)) throw error
    shop.log.warn({ dataset_id: options.datasetId, index: held.state.index }, 'the search index is gone; a new one is made')
    await held.save({ index: null, fill: null })
  }
}

/** The state names the index before there is one, so an index that no state names is never in use. */
async function startAnew(
  { client, config, flavour }: Workshop,
  held: HeldState,
  { settings, stamp, changeNo, changeAt }: Extract<Work, { kind: 'new' }>,
  { datasetId, isServing }: WorkOptions,
): Promise<void> {
  const replaced = held.state.index
  const index = toIndexName(config.indexPrefix, datasetId)
  await held.save({ index, settings: null, fill: { after: 0, ids: null } })
  await createIndex(client, index, settings, { config, flavour })
  const fill = { after: 0, ids: null }
  await held.save({ index, change_no: changeNo, change_at: changeAt, settings: stamp, fill, refused: [] })
  if (isServing) await switchAlias(client, config.indexPrefix, datasetId, index)
  if (replaced !== null) await deleteIndex(client, replaced)
}

async function grow(
  { client, flavour }: Workshop,
  held: HeldState,
  { settings, stamp }: { settings: DatasetSettings; stamp: string },
): Promise<void> {
  const { index, settings: before, fill } = held.state
  await growMapping(client, index as string, settings, flavour)
  await held.save({ settings: stamp, fill: toRefill(before as string, stamp, fill) })
}

async function writeRecords(
  shop: Workshop,
  held: HeldState,
  { log, fill }: Extract<Work, { kind: 'records' }>,
  options: WorkOptions,
): Promise<void> {
  const recordNos = [...new Set([...(log?.recordNos ?? []), ...(fill?.recordNos ?? [])])]
  const refused = await writeAll(shop, held, options.datasetId, recordNos)
  await held.save({
    ...(log && { change_no: log.changeNo, change_at: log.changeAt }),
    ...(fill && { fill: fill.after === null ? null : { after: fill.after, ids: held.state.fill?.ids ?? null } }),
    ...(refused && { refused }),
  })
  if (fill) options.onFilled?.(fill.recordNos.length)
}

/** Records that are written without a lease. */
const FEW_MAX = 100

/**
 * Writes what has changed if that is little, and answers what to save. `done`: nothing has changed. Null: it is more than that, or needs more
 * than documents.
 */
export async function writeFew(
  { client, db, flavour }: Workshop,
  datasetId: Id,
  state: IndexState,
): Promise<Partial<IndexState> | 'done' | null> {
  const work = await readWork(db, datasetId, state)
  if (work.kind === 'done') return 'done'
  if (work.kind !== 'records' || !work.log || work.fill || work.log.recordNos.length > FEW_MAX) return null
  const { recordNos, changeNo, changeAt } = work.log
  try {
    for await (const writes of readWrites(db, { datasetId, stamp: state.settings, flavour }, recordNos)) {
      // What is refused is noted under the lease.
      const refused = await writeDocuments(client, state.index as string, writes)
      if (refused.length > 0 || state.refused.length > 0) return null
    }
    return { change_no: changeNo, change_at: changeAt }
  } catch (error) {
    if (error instanceof SettingsChanged || error instanceof IndexLost) return null
    throw error
  }
}

/** While one piece is written, the next one is read. Answers the refused documents by now, or null if they are the same as before. */
async function writeAll(shop: Workshop, held: HeldState, datasetId: Id, recordNos: readonly number[]): Promise<Refused[] | null> {
  const { client, db, flavour } = shop
  const { index, settings: stamp, refused: before } = held.state
  const written = new Set<string>()
  const refused: Refused[] = []
  const write = async (writes: Write[]) => {
    held.check()
    for (const { recordId, recordNo } of writes) written.add(recordId ?? String(recordNo))
    refused.push(...(await writeDocuments(client, index as string, writes)))
  }
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const writes of readWrites(db, { datasetId, stamp, flavour }, recordNos)) {
      await writing
      writing = write(writes)
      // It is awaited in the next round; until then a failure must not count as unhandled.
      writing.catch(() => undefined)
    }
  } finally {
    await writing
  }
  if (refused.length === 0 && !before.some(({ record_id }) => written.has(record_id))) return null
  for (const { record_id, reason } of refused)
    shop.log.error({ dataset_id: datasetId, record_id, reason }, 'the search engine refuses a record; searches do not find it')
  return [...refused, ...before.filter(({ record_id }) => !written.has(record_id))].slice(0, REFUSED_MAX)
}
