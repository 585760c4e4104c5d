/**
 * In-memory indexes of the task datasets that a thread searches. Each follows its dataset by the change numbers of rows, so that
 * results include everything committed before. Indexes are not stored.
 */
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { LruCache } from '../../search/embedded/lru-cache.ts'
import type { Database, Queryable } from '../../storage/database.ts'
import type { TaskDataset } from '../datasets-store.ts'
import { listIds, visitChanges } from '../records-store.ts'
import { createTaskIndex, type TaskIndex } from './task-index.ts'

interface CachedIndex {
  index: TaskIndex
  /** The index contains all changes up to this number. */
  changeNo: number
  /** The last row that was read. It remains if a read is ended for taking too long, so that the next one continues from there. */
  last: { changeNo: number; id: string }
  isTooLarge: boolean
}

interface IndexCache {
  held: LruCache<Id, CachedIndex>
  /** Serializes searches, because an index must not change while it is read. */
  turn: Promise<unknown>
}

/** Indexes by database; each thread has one database. */
const indexesOf = new WeakMap<Database, IndexCache>()

/** Share of the search memory for task datasets. */
const MEMORY_SHARE = 1 / 4

/** Runs `use` with an index that is at least as new as the dataset, or with null if there is none. */
export function withIndex<T>(
  ctx: RequestContext,
  db: Queryable,
  dataset: TaskDataset,
  use: (index: TaskIndex | null) => Promise<T>,
): Promise<T> {
  const indexes = indexesOf.get(ctx.db) ?? { held: new LruCache<Id, CachedIndex>(), turn: Promise.resolve() }
  indexesOf.set(ctx.db, indexes)
  const bytesMax = (ctx.config.searchMemoryBytes / ctx.config.readerThreads) * MEMORY_SHARE
  const work = indexes.turn.then(async () => {
    const held = takeCached(indexes.held, dataset)
    indexes.held.put(dataset.id, held)
    const isUsable = await follow(db, dataset, held, bytesMax)
    trim(indexes.held, bytesMax)
    return use(isUsable ? held.index : null)
  })
  indexes.turn = work.catch(() => undefined)
  return work
}

function takeCached(held: IndexCache['held'], { id, task }: TaskDataset): CachedIndex {
  const known = held.take(id)
  if (known && !known.index.isMostlyOld) return known
  return { index: createTaskIndex(task), changeNo: -1, last: { changeNo: -1, id: '' }, isTooLarge: false }
}

/** Returns false if the index cannot be used: it is too large, or was partly read in a newer snapshot than this one. */
async function follow(db: Queryable, dataset: TaskDataset, held: CachedIndex, bytesMax: number): Promise<boolean> {
  if (held.isTooLarge) return false
  if (dataset.change_no <= held.changeNo) return true
  if (dataset.change_no < held.last.changeNo) return false
  await visitChanges(db, dataset.no, held.last, ({ id, record, change_no }) => {
    held.index.put(id, record)
    held.last = { changeNo: change_no, id }
    held.isTooLarge = held.index.bytes > bytesMax
    return !held.isTooLarge
  })
  if (held.isTooLarge) held.index = createTaskIndex(dataset.task)
  else if (dataset.deleted_no > held.changeNo) held.index.keepOnly(new Set(await listIds(db, dataset.no)))
  held.changeNo = dataset.change_no
  return !held.isTooLarge
}

/** Evicts the least recently used indexes until all fit. */
function trim(held: IndexCache['held'], bytesMax: number): void {
  let bytes = held.values().reduce((sum, { index }) => sum + index.bytes, 0)
  for (const [id, { index }] of held.entries().slice(0, -1)) {
    if (bytes <= bytesMax) return
    held.drop(id)
    bytes -= index.bytes
  }
}
