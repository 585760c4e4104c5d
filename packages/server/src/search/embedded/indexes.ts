/**
 * The indexes of the datasets that this thread searches. Each one follows its dataset's log, and is caught up with the snapshot that a
 * request reads before it answers. What is not used goes when their memory is spent.
 */
import type { Id } from '@postil/domain/schema'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchQuery } from '@postil/domain/search/query'
import { findHeadNumber } from '../../storage/changes.ts'
import type { Queryable } from '../../storage/database.ts'
import { findSegmentBytes, listSegmentNumbers } from '../../storage/text-segments.ts'
import type { ColumnBlock } from '../columns/column-block.ts'
import type { SearchedDataset } from '../engine.ts'
import { DatasetIndex } from '../index/dataset-index.ts'
import { catchUp, hasColumn } from '../source/follow.ts'
import { loadSettings, readColumn } from '../source/read-column.ts'

/** Behind by more than this, an index starts from the tables: that takes less than reading what changed. */
const BEHIND_MAX = { entries: 5_000, records: 20_000 }

interface Held {
  index: DatasetIndex
  /** The change number that it has reached. */
  changeNo: number
}

/** `bytesMax`: what all indexes of this thread may take together. */
export function openIndexes(bytesMax: number) {
  /** The one that was used last stands last. */
  const held = new Map<Id, Held>()
  /** One at a time: an index must not change while it is read. */
  let last: Promise<unknown> = Promise.resolve()

  /** Runs `read` on the index of a dataset, as of the snapshot that `db` reads, with everything loaded that the query needs. */
  function use<T>(
    db: Queryable,
    dataset: SearchedDataset,
    query: SearchQuery | CountQuery,
    read: (index: DatasetIndex) => T | Promise<T>,
  ): Promise<T> {
    const turn = last.then(async () => {
      const index = await prepare(db, dataset, query)
      const found = await read(index)
      trim(dataset.id)
      return found
    })
    last = turn.catch(() => undefined)
    return turn
  }

  async function prepare(db: Queryable, dataset: SearchedDataset, query: SearchQuery | CountQuery): Promise<DatasetIndex> {
    const known = held.get(dataset.id)
    // An index that failed to follow a change would be wrong for good.
    held.delete(dataset.id)
    const found = (known && (await follow(db, dataset.id, known))) ?? (await begin(db, dataset))
    held.set(dataset.id, found)
    await load(db, dataset.id, found.index, query)
    return found.index
  }

  /** The one that answered last keeps what its query needed. */
  function trim(datasetId: Id): void {
    const bytes = () => Array.from(held.values(), ({ index }) => index.bytes).reduce((sum, size) => sum + size, 0)
    for (const [id, { index }] of held) {
      const others = bytes() - index.bytes
      if (others + index.bytes <= bytesMax) return
      if (id === datasetId) index.evict(Math.max(0, bytesMax - others))
      else held.delete(id)
    }
  }

  return { use }
}

async function begin(db: Queryable, dataset: SearchedDataset): Promise<Held> {
  return { index: new DatasetIndex(dataset.textFields), changeNo: (await findHeadNumber(db, dataset.id)) ?? 0 }
}

/** Null if it must begin anew: the log does not reach back, or this snapshot is older than the index. */
async function follow(db: Queryable, datasetId: Id, { index, changeNo }: Held): Promise<Held | null> {
  const head = await findHeadNumber(db, datasetId)
  if (head === null || head < changeNo || head - changeNo > BEHIND_MAX.entries) return null
  if (head === changeNo) return { index, changeNo }
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
  return { index, changeNo: head }
}

async function load(db: Queryable, datasetId: Id, index: DatasetIndex, query: SearchQuery | CountQuery): Promise<void> {
  // Merges replace segments without an entry in the log.
  if (query.text !== null) index.expectSegments(await listSegmentNumbers(db, datasetId))
  const { columns, segments } = index.missing(query)
  if (columns.length > 0) {
    const settings = await loadSettings(db, datasetId)
    for (const key of columns) {
      const blocks: ColumnBlock[] = []
      for await (const block of readColumn(db, { id: datasetId, settings }, key)) blocks.push(block)
      index.load(key, blocks)
    }
  }
  for (const segmentNo of segments) {
    const bytes = await findSegmentBytes(db, datasetId, segmentNo)
    if (bytes === null) throw new Error(`Text segment ${segmentNo} of dataset ${datasetId} is listed, but not stored`)
    index.addSegment(segmentNo, bytes)
  }
}
