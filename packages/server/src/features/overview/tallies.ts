/**
 * Tallies of the datasets whose overview this thread serves. Each tally follows its dataset's change log, so that only changes
 * are read after the first time. The first read takes seconds for a large dataset, so it is done in time slices, one per request,
 * and other requests are served in between.
 */
import type { ChangeName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import { LruCache } from '../../search/embedded/lru-cache.ts'
import { listRecordNos } from '../../search/source/follow.ts'
import { type Change, readChanges } from '../../storage/changes.ts'
import type { Queryable } from '../../storage/database.ts'
import { loadDatasetNo } from '../../storage/dataset-numbers.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { findRecordAfter, findRecordRange } from './store.ts'
import { createTally, readRows, stampOf, type Tally } from './tally.ts'

/** Time limit for reading per request; a block that has started is completed. */
const SLICE_MS = 250
const RECORDS_PER_BLOCK = 2_000
const RECORDS_PER_QUERY = 1_000
const ENTRIES_PER_BATCH = 1_000
/** A tally that is further behind is rebuilt. */
const BEHIND_MAX = { entries: 20_000, records: 50_000 }
/** Memory limit of all tallies of a thread. The tally in use is never evicted. */
const BYTES_MAX = 256 * 1024 * 1024

interface Scope {
  db: Queryable
  dataset: StoredDataset
  datasetNo: number
  settings: DatasetSettings
}

export interface Tallies {
  /** Brings the tally of a dataset up to date with the snapshot, within the time slice, and passes it to `read`. */
  use<T>(db: Queryable, dataset: StoredDataset, read: (tally: Tally) => T): Promise<T>
}

export function createTallies({ sliceMs = SLICE_MS, recordsPerBlock = RECORDS_PER_BLOCK, bytesMax = BYTES_MAX } = {}): Tallies {
  const held = new LruCache<Id, Tally>()
  /** Requests run one at a time, because a tally must not change while it is read. */
  let last: Promise<unknown> = Promise.resolve()

  async function run<T>(db: Queryable, dataset: StoredDataset, read: (tally: Tally) => T): Promise<T> {
    const settings = await loadDatasetSettings(db, dataset)
    const scope: Scope = { db, dataset, datasetNo: await loadDatasetNo(db, dataset.id), settings }
    // Removed from the cache meanwhile, because a tally that failed to follow a change would remain wrong.
    const known = held.take(dataset.id)
    // A snapshot may be older than the tally, because concurrent requests wait for each other here.
    if (known !== null && known.changeNo > dataset.change_no && known.stamp === stampOf(settings)) {
      held.put(dataset.id, known)
      return read(known)
    }
    const tally = (known !== null && (await follow(scope, known))) || createTally(settings, dataset.change_no)
    await readNextBlocks(scope, tally, { sliceMs, recordsPerBlock })
    held.put(dataset.id, tally)
    trim(held, bytesMax)
    return read(tally)
  }

  return {
    use: (db, dataset, read) => {
      const turn = last.then(() => run(db, dataset, read))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

/** Returns null if the tally must be rebuilt: the questions changed, the log was pruned, or too much changed. */
async function follow({ db, dataset, datasetNo, settings }: Scope, tally: Tally): Promise<Tally | null> {
  const head = dataset.change_no
  if (tally.stamp !== stampOf(settings) || head < tally.changeNo || head - tally.changeNo > BEHIND_MAX.entries) return null
  let records = 0
  while (tally.changeNo < head) {
    const read = await readChanges(db, dataset.id, tally.changeNo, Math.min(ENTRIES_PER_BATCH, head - tally.changeNo))
    const reached = read.kind === 'changes' ? read.changes.at(-1)?.change_no : undefined
    if (read.kind === 'rebuild' || reached === undefined) return null
    const changed = listRecordNos(read.changes.filter(isCounted))
    // Records beyond this point are read later by `readNextBlocks`.
    const known = tally.reached === null ? changed : changed.filter(no => no <= (tally.reached as number))
    records += known.length
    if (records > BEHIND_MAX.records) return null
    for (let start = 0; start < known.length; start += RECORDS_PER_QUERY) {
      const recordNos = known.slice(start, start + RECORDS_PER_QUERY)
      tally.rows.replace(recordNos, await readRows(db, tally, { datasetNo, settings }, { recordNos }))
    }
    tally.changeNo = reached
  }
  return tally
}

/** Events that do not affect the counts. */
const IGNORED_EVENTS: ReadonlySet<ChangeName> = new Set(['flag.created', 'flag.deleted'])
const isCounted = ({ event }: Change) => !IGNORED_EVENTS.has(event)

/** Reads the responses of records that were not read yet, block by block, until the time slice ends. */
async function readNextBlocks(
  { db, datasetNo, settings }: Scope,
  tally: Tally,
  { sliceMs, recordsPerBlock }: { sliceMs: number; recordsPerBlock: number },
): Promise<void> {
  const endsAt = performance.now() + sliceMs
  const range = tally.reached === null ? null : await findRecordRange(db, datasetNo)
  if (range === null) tally.reached = null
  else tally.reached = Math.max(tally.reached ?? 0, range.first - 1)
  while (tally.reached !== null && range !== null) {
    const next = await findRecordAfter(db, datasetNo, tally.reached, recordsPerBlock)
    const wanted = { after: tally.reached, last: next ?? range.last }
    tally.rows.append(await readRows(db, tally, { datasetNo, settings }, wanted))
    tally.done += recordsPerBlock
    tally.reached = next
    if (performance.now() >= endsAt) return
  }
}

/** Evicts the least recently used tallies until the rest fits. */
function trim(held: LruCache<Id, Tally>, bytesMax: number): void {
  const all = held.entries()
  let bytes = all.reduce((sum, [, { rows }]) => sum + rows.bytes, 0)
  for (const [id, { rows }] of all.slice(0, -1)) {
    if (bytes <= bytesMax) return
    held.drop(id)
    bytes -= rows.bytes
  }
}
