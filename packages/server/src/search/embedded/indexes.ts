/**
 * The indexes of the datasets that this thread searches. Each one follows its dataset's log and catches up with the database
 * before it answers. Idle indexes are dropped, and so are the least recently used parts when the memory limit is exceeded.
 *
 * Indexes read in their own snapshots, which start when it is the index's turn. An index is therefore never newer than its
 * snapshot, and concurrent requests share one index, even if their own snapshots differ.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { RetryLater } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import { findHeadNumber } from '../../storage/changes.ts'
import type { Database, Queryable } from '../../storage/database.ts'
import { findSegmentBytes, listSegmentNumbers } from '../../storage/text-segments.ts'
import type { ColumnKey } from '../columns/column-key.ts'
import type { CachedRecords, SearchedDataset } from '../engine.ts'
import { DatasetIndex } from '../index/dataset-index.ts'
import { hasColumn, readCatchUpSteps } from '../source/follow.ts'
import { loadSettings, readColumns, toPasses } from '../source/read-columns.ts'
import { LruCache } from './lru-cache.ts'
import { createRecordCache, type DatasetRecordCache, type RecordCache } from './record-cache.ts'

/** An index that is further behind is rebuilt from the tables, because this is faster than reading the changes. */
const BEHIND_MAX = { entries: 5_000, records: 20_000 }

interface HeldIndex {
  index: DatasetIndex
  /** The change number that the index has reached. */
  changeNo: number
  /** Time and change number of the last listing of its text segments. */
  listed: { changeNo: number; atMs: number } | null
  /** Null on SQLite, where reading records is just as fast. */
  records: DatasetRecordCache | null
}

/**
 * Interval for listing segments again at the same change number. Merged segments contain the same texts, so they need not be
 * listed before each search.
 */
const LISTED_MS = 1_000

export interface IndexesOptions {
  /**
   * Read-only. On SQLite, this is the handle of the requests, whose snapshot it then shares. On PostgreSQL, it has its own
   * connections: each request holds a connection while it waits for its turn, so a shared pool could be exhausted.
   */
  db: Database
  /** Memory limit for all indexes of this thread. */
  bytesMax: number
  /** How long a search waits for a change that the database does not show yet, for example because it is a replica. */
  waitMsMax?: number
  /** Called repeatedly while an index is loaded, which takes seconds for a large dataset, but happens only once. */
  onLoad?: () => void
}

const WAIT_MS_MAX = 2_000
const WAIT_STEP_MS = 20
const RETRY_SECONDS = 1

type Read<T> = (index: DatasetIndex, db: Queryable, changeNo: number) => T | Promise<T>
/** Returns true if all other data that a read at this change number needs is in memory. */
type IsReady = (changeNo: number) => boolean

export function createIndexes({ db, bytesMax, waitMsMax = WAIT_MS_MAX, onLoad = () => {} }: IndexesOptions) {
  const held = new LruCache<Id, HeldIndex>()
  const cache: RecordCache | null = db.dialect.name === 'postgres' ? createRecordCache() : null
  /** Serializes all reads, because an index must not change while it is read. */
  let last: Promise<unknown> = Promise.resolve()

  /** Loads the parts that the query needs, and runs `read` on the index at the requested change number or a later one. */
  async function use<T>(
    dataset: SearchedDataset,
    query: SearchQuery | CountQuery,
    read: Read<T>,
    isReady: IsReady = () => true,
  ): Promise<T> {
    for (let waitedMs = 0; ; waitedMs += WAIT_STEP_MS) {
      const answer = await takeTurn(
        async () =>
          (isReady(dataset.changeNo) ? await runHeld({ db, held, isReady }, dataset, query, read) : null) ??
          db.snapshot(snapshot => run(snapshot, dataset, query, read)),
      )
      if (answer !== null) return answer.found
      if (waitedMs >= waitMsMax) throw toBehindError()
      // Waits outside the turn, so that other datasets can be searched in the meantime.
      await delay(WAIT_STEP_MS)
    }
  }

  function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  /** Returns null if the snapshot does not include the requested change. */
  async function run<T>(
    snapshot: Queryable,
    dataset: SearchedDataset,
    query: SearchQuery | CountQuery,
    read: Read<T>,
  ): Promise<{ found: T } | null> {
    const head = (await findHeadNumber(snapshot, dataset.id)) ?? 0
    if (head < dataset.changeNo) return null
    // Removes the index from the cache, because it would stay incorrect if following a change failed.
    const known = held.take(dataset.id)
    const index = (known && (await follow(snapshot, dataset.id, known, head))) ?? new DatasetIndex(dataset.textFields)
    const before = known?.index === index ? known : null
    if (before === null) known?.records?.suspend()
    const records = before?.records ?? cache?.open(head) ?? null
    records?.resume(head)
    const now: HeldIndex = { index, changeNo: head, listed: before?.listed ?? null, records }
    held.put(dataset.id, now)
    await load({ db: snapshot, datasetId: dataset.id, onLoad }, now, query)
    const found = await read(index, snapshot, head)
    trim(held, bytesMax)
    return { found }
  }

  const known = (datasetId: Id, changeNo: number): CachedRecords | null => held.peek(datasetId)?.records?.at(changeNo) ?? null

  return { use, known }
}

/**
 * Uses the index without opening a snapshot, which takes three round trips on PostgreSQL. Returns null unless the index is at the
 * change number of the request and has everything loaded that the query needs.
 */
async function runHeld<T>(
  { db, held, isReady }: { db: Database; held: LruCache<Id, HeldIndex>; isReady: IsReady },
  dataset: SearchedDataset,
  query: SearchQuery | CountQuery,
  read: Read<T>,
): Promise<{ found: T } | null> {
  const known = held.take(dataset.id)
  if (!known) return null
  held.put(dataset.id, known)
  const { index, changeNo } = known
  if (changeNo !== dataset.changeNo) return null
  if (query.text !== null && !isListed(known)) await expectSegments(db, dataset.id, known)
  const { columns, segments } = index.missing(query)
  if (columns.length + segments.length > 0) return null
  const found = await read(index, db, changeNo)
  // The read may have seen newer rows than the index.
  return isReady(changeNo) ? { found } : null
}

const isListed = ({ listed, changeNo }: HeldIndex): boolean =>
  listed?.changeNo === changeNo && performance.now() - listed.atMs < LISTED_MS

/** Lists the stored segments. Needed because merges replace segments without a log entry. */
async function expectSegments(db: Queryable, datasetId: Id, held: HeldIndex): Promise<void> {
  const atMs = performance.now()
  held.index.expectSegments(await listSegmentNumbers(db, datasetId))
  held.listed = { changeNo: held.changeNo, atMs }
}

/**
 * Evicts the least recently used indexes until the rest fits. The index that was used last keeps the parts that its query needed.
 */
function trim(held: LruCache<Id, HeldIndex>, bytesMax: number): void {
  const last = held.keys().at(-1)
  for (const [id, { index }] of held.entries()) {
    const all = held.values().reduce((sum, { index }) => sum + index.bytes, 0)
    if (all <= bytesMax) return
    if (id === last) index.evict(Math.max(0, bytesMax - (all - index.bytes)))
    else held.drop(id)
  }
}

/** Thrown if a replica lags, or if the database was replaced with an older copy. */
const toBehindError = () =>
  new RetryLater(
    'unavailable',
    'The database that searches read does not show the latest changes of this dataset yet. Try again in a moment.',
    RETRY_SECONDS,
  )

/**
 * Catches up with the head. Returns null if the index must be rebuilt, because the log does not reach back far enough or the
 * database was replaced with an older copy.
 */
async function follow(db: Queryable, datasetId: Id, held: HeldIndex, head: number): Promise<DatasetIndex | null> {
  const { index, changeNo, records: known } = held
  if (head < changeNo || head - changeNo > BEHIND_MAX.entries) return null
  if (head === changeNo) return index
  known?.suspend()
  let records = 0
  for await (const step of readCatchUpSteps(db, datasetId, { after: changeNo, head })) {
    if (step.kind !== 'step' || records > BEHIND_MAX.records) return null
    const { documents, removed, settings } = step
    records += documents.size
    known?.forget([...documents.keys(), ...removed])
    if (settings) known?.forgetAll()
    if (settings) for (const key of index.loaded()) if (!hasColumn(settings.documents, key)) index.drop(key)
    index.put([
      ...Array.from(documents, ([recordNo, document]) => ({ recordNo, document })),
      ...removed.map(recordNo => ({ recordNo, document: null })),
    ])
  }
  return index
}

interface LoadContext {
  db: Queryable
  datasetId: Id
  onLoad(): void
}

async function load({ db, datasetId, onLoad }: LoadContext, held: HeldIndex, query: SearchQuery | CountQuery): Promise<void> {
  const { index } = held
  if (query.text !== null) await expectSegments(db, datasetId, held)
  const { columns, segments } = index.missing(query)
  if (columns.length > 0) await loadColumns({ db, datasetId, onLoad }, index, columns)
  for (const segmentNo of segments) {
    const bytes = await findSegmentBytes(db, datasetId, segmentNo)
    if (bytes === null) throw new Error(`Text segment ${segmentNo} of dataset ${datasetId} is listed, but not stored`)
    index.addSegment(segmentNo, bytes)
    onLoad()
  }
}

async function loadColumns(
  { db, datasetId, onLoad }: LoadContext,
  index: DatasetIndex,
  columns: readonly ColumnKey[],
): Promise<void> {
  const dataset = { id: datasetId, settings: await loadSettings(db, datasetId) }
  for (const keys of toPasses(columns)) {
    for (const key of keys) index.beginColumn(key)
    for await (const { key, block } of readColumns(db, dataset, keys)) {
      index.fillColumn(key, block)
      onLoad()
    }
    for (const key of keys) index.endColumn(key)
  }
}
