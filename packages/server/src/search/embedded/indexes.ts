/**
 * The indexes of the datasets that this thread searches. Each one follows its dataset's log, and catches up with the database before it
 * answers. Those that are not used for a while go, and so does what was not used for longest when the memory is spent.
 *
 * They read in snapshots of their own, which begin when it is an index's turn. So an index never meets a snapshot that is older than itself,
 * and concurrent requests, whatever they see, use the same one.
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
import type { SearchedDataset } from '../engine.ts'
import { DatasetIndex } from '../index/dataset-index.ts'
import { catchUp, hasColumn } from '../source/follow.ts'
import { loadSettings, readColumns, toPasses } from '../source/read-columns.ts'
import { RecentlyUsed } from './recently-used.ts'

/** Behind by more than this, an index starts from the tables: that takes less than reading what changed. */
const BEHIND_MAX = { entries: 5_000, records: 20_000 }

interface HeldIndex {
  index: DatasetIndex
  /** The change number that it has reached. */
  changeNo: number
}

export interface IndexesOptions {
  /**
   * Read only. On SQLite the handle of the requests, whose snapshot it then shares. On PostgreSQL one with connections of its own: each request
   * holds one while it waits for its turn, so that a shared pool could run out of them.
   */
  db: Database
  /** What all indexes of this thread may take together. */
  bytesMax: number
  /** How long a search waits for a change that the database does not show yet, such as a replica. */
  waitMsMax?: number
  /** Called again and again while an index is loaded: that takes seconds for a large dataset, but only once. */
  onLoad?: () => void
}

const WAIT_MS_MAX = 2_000
const WAIT_STEP_MS = 20
const RETRY_SECONDS = 1

type Read<T> = (index: DatasetIndex, db: Queryable) => T | Promise<T>

export function openIndexes({ db, bytesMax, waitMsMax = WAIT_MS_MAX, onLoad = () => {} }: IndexesOptions) {
  const held = new RecentlyUsed<Id, HeldIndex>()
  /** One at a time: an index must not change while it is read. */
  let last: Promise<unknown> = Promise.resolve()

  /** Runs `read` on the index of a dataset, at its change number or a later one, with everything loaded that the query needs. */
  async function use<T>(dataset: SearchedDataset, query: SearchQuery | CountQuery, read: Read<T>): Promise<T> {
    for (let waitedMs = 0; ; waitedMs += WAIT_STEP_MS) {
      const answer = await takeTurn(
        async () =>
          (await runHeld({ db, held }, dataset, query, read)) ?? db.snapshot(snapshot => run(snapshot, dataset, query, read)),
      )
      if (answer !== null) return answer.found
      if (waitedMs >= waitMsMax) throw behind()
      // Not within the turn: other datasets may be searched meanwhile.
      await delay(WAIT_STEP_MS)
    }
  }

  function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  /** Null if the snapshot does not show the change that the answer must include. */
  async function run<T>(
    snapshot: Queryable,
    dataset: SearchedDataset,
    query: SearchQuery | CountQuery,
    read: Read<T>,
  ): Promise<{ found: T } | null> {
    const head = (await findHeadNumber(snapshot, dataset.id)) ?? 0
    if (head < dataset.changeNo) return null
    // Taken out: an index that failed to follow a change would be wrong for good.
    const known = held.take(dataset.id)
    const index = (known && (await follow(snapshot, dataset.id, known, head))) ?? new DatasetIndex(dataset.textFields)
    held.put(dataset.id, { index, changeNo: head })
    await load({ db: snapshot, datasetId: dataset.id, onLoad }, index, query)
    const found = await read(index, snapshot)
    trim(held, bytesMax)
    return { found }
  }

  return { use }
}

/**
 * Null unless the index is where the request is and has all that the query needs. Then no snapshot is opened, which on PostgreSQL takes
 * three round trips. Vectors are read from the database, so queries by similarity need one.
 */
async function runHeld<T>(
  { db, held }: { db: Database; held: RecentlyUsed<Id, HeldIndex> },
  dataset: SearchedDataset,
  query: SearchQuery | CountQuery,
  read: Read<T>,
): Promise<{ found: T } | null> {
  const known = held.take(dataset.id)
  if (!known) return null
  held.put(dataset.id, known)
  const { index, changeNo } = known
  if (changeNo !== dataset.changeNo || ('similar' in query && query.similar !== null)) return null
  if (query.text !== null) index.expectSegments(await listSegmentNumbers(db, dataset.id))
  const { columns, segments } = index.missing(query)
  return columns.length + segments.length > 0 ? null : { found: await read(index, db) }
}

/** Drops what was not used for longest, until all fit. The one that answered last keeps what its query needed. */
function trim(held: RecentlyUsed<Id, HeldIndex>, bytesMax: number): void {
  const last = held.keys().at(-1)
  for (const [id, { index }] of held.entries()) {
    const all = held.values().reduce((sum, { index }) => sum + index.bytes, 0)
    if (all <= bytesMax) return
    if (id === last) index.evict(Math.max(0, bytesMax - (all - index.bytes)))
    else held.drop(id)
  }
}

/** A replica that lags, or a database that was replaced by an older copy. */
const behind = () =>
  new RetryLater(
    'unavailable',
    'The database that searches read does not show the latest changes of this dataset yet. Try again in a moment.',
    RETRY_SECONDS,
  )

/** Catches up with the head. Null if it must begin anew: the log does not reach back, or the database was replaced by an older copy. */
async function follow(db: Queryable, datasetId: Id, { index, changeNo }: HeldIndex, head: number): Promise<DatasetIndex | null> {
  if (head < changeNo || head - changeNo > BEHIND_MAX.entries) return null
  if (head === changeNo) return index
  let records = 0
  for await (const step of catchUp(db, datasetId, { after: changeNo, head })) {
    if (step.kind !== 'step' || records > BEHIND_MAX.records) return null
    const { documents, removed, settings } = step
    records += documents.size
    if (settings) for (const key of index.loaded()) if (!hasColumn(settings.documents, key)) index.drop(key)
    index.put([
      ...Array.from(documents, ([recordNo, document]) => ({ recordNo, document })),
      ...removed.map(recordNo => ({ recordNo, document: null })),
    ])
  }
  return index
}

interface Loaded {
  db: Queryable
  datasetId: Id
  onLoad(): void
}

async function load({ db, datasetId, onLoad }: Loaded, index: DatasetIndex, query: SearchQuery | CountQuery): Promise<void> {
  // Merges replace segments without an entry in the log.
  if (query.text !== null) index.expectSegments(await listSegmentNumbers(db, datasetId))
  const { columns, segments } = index.missing(query)
  if (columns.length > 0) await loadColumns({ db, datasetId, onLoad }, index, columns)
  for (const segmentNo of segments) {
    const bytes = await findSegmentBytes(db, datasetId, segmentNo)
    if (bytes === null) throw new Error(`Text segment ${segmentNo} of dataset ${datasetId} is listed, but not stored`)
    index.addSegment(segmentNo, bytes)
    onLoad()
  }
}

async function loadColumns({ db, datasetId, onLoad }: Loaded, index: DatasetIndex, columns: readonly ColumnKey[]): Promise<void> {
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
