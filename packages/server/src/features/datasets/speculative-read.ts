/**
 * Speculative reads of a dataset, which start before its row is loaded.
 *
 * On PostgreSQL, loading the row costs a round trip. If a thread has loaded the same row twice in a row, the next read starts
 * with that row while its stamps are loaded again in parallel. The result is used only if the stamps are unchanged; otherwise the
 * read runs again with the new row. While a dataset is written continuously, no read starts early.
 */
import type { Id } from '@postil/domain/schema'
import type { Database, Queryable } from '../../storage/database.ts'
import { findDatasetStamps, hasSameStamps, loadDataset, type StoredDataset } from './store.ts'

type Read<T> = (db: Queryable, dataset: StoredDataset) => Promise<T>

interface ReadOptions {
  /** False if `read` needs the result of one statement for the next. */
  isAtOnce?: boolean
}

/** Runs `read` in one consistent snapshot of the database. `read` may run twice, so it must not have side effects. */
export function readDataset<T>(db: Database, datasetId: Id, read: Read<T>, { isAtOnce = true }: ReadOptions = {}): Promise<T> {
  const run = async (view: Queryable) => {
    const load = async () => cacheDataset(db, await loadDataset(view, datasetId))
    const expected = expectedOf(db, datasetId)
    if (expected === null) return read(view, await load())
    const [stamps, answer] = await Promise.allSettled([findDatasetStamps(view, datasetId), read(view, expected)])
    if (stamps.status === 'rejected') throw stamps.reason
    if (stamps.value === null || !hasSameStamps(stamps.value, expected)) {
      forget(db, datasetId)
      return read(view, await load())
    }
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  }
  return isAtOnce && expectedOf(db, datasetId) !== null ? db.readAtOnce(run) : db.snapshot(run)
}

interface CachedDataset {
  dataset: StoredDataset
  /** True if the last two loads returned the same row. */
  isSteady: boolean
}

const keyOf = (datasetId: Id) => `row of ${datasetId}`

/** Null on SQLite, which has no round trips. */
function expectedOf({ dialect, cache }: Database, datasetId: Id): StoredDataset | null {
  const seen = cache.get(keyOf(datasetId)) as CachedDataset | undefined
  return dialect.name === 'postgres' && seen?.isSteady ? seen.dataset : null
}

function cacheDataset({ cache }: Database, dataset: StoredDataset): StoredDataset {
  const seen = cache.get(keyOf(dataset.id)) as CachedDataset | undefined
  cache.set(keyOf(dataset.id), {
    dataset,
    isSteady: seen !== undefined && hasSameStamps(seen.dataset, dataset),
  } satisfies CachedDataset)
  return dataset
}

/** Keeps the next read of the dataset from starting early. */
const forget = ({ cache }: Database, datasetId: Id) => cache.set(keyOf(datasetId), undefined)
