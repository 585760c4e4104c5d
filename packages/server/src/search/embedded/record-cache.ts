/**
 * Cache of record parts that requests of this thread have read, until the records change.
 *
 * The cached records of a dataset have the same change number as its index. When the index follows the log, the records that the
 * entries name are removed. All cached parts therefore equal those in the database at the change number of the index, and
 * requests at the same number can use them. Requests at any other number neither read nor write the cache.
 */
import type { CachedRecords } from '../engine.ts'

interface Part {
  value: unknown
  bytes: number
}

interface CacheEntry {
  /** Identifies the dataset and the cache generation. Entries of earlier generations are ignored. */
  owner: object
  parts: Map<string, Part>
  bytes: number
}

/** The cached records of one dataset, maintained together with its index. */
export interface DatasetRecordCache {
  /** Returns null if the records are not at this change number. */
  at(changeNo: number): CachedRecords | null
  /** Called when the index starts to catch up. The cache is disabled until `resume`. */
  suspend(): void
  forget(recordNos: Iterable<number>): void
  forgetAll(): void
  resume(changeNo: number): void
}

export interface RecordCache {
  /** Starts a cache for a new index at this change number. */
  open(changeNo: number): DatasetRecordCache
  bytes(): number
}

interface Limits {
  bytesMax: number
  /** Larger records are not cached. */
  recordBytesMax: number
}

const LIMITS: Limits = { bytesMax: 32 * 1024 * 1024, recordBytesMax: 64 * 1024 }
/** Memory of an entry and of each of its parts, in addition to the bytes that callers count. */
const OVERHEAD_BYTES = 200
/** Number of consecutive pages that must be served from the cache before it counts as warm. */
const WARM_PAGES = 4

export function createRecordCache(limits: Limits = LIMITS): RecordCache {
  const store = createStore(limits)
  return { open: changeNo => follow(store, changeNo), bytes: store.bytes }
}

type Store = ReturnType<typeof createStore>

/** Stores the cached records of all datasets. */
function createStore({ bytesMax, recordBytesMax }: Limits) {
  /** Entries by record number, which is unique across datasets, in the order of their last use. */
  const held = new Map<number, CacheEntry>()
  let bytes = 0

  const drop = (recordNo: number) => {
    bytes -= held.get(recordNo)?.bytes ?? 0
    held.delete(recordNo)
  }
  /** Returns the entry of a record and marks it as used. */
  const use = (owner: object, recordNo: number): CacheEntry | null => {
    const kept = held.get(recordNo)
    if (kept?.owner !== owner) return null
    held.delete(recordNo)
    held.set(recordNo, kept)
    return kept
  }
  const put = (owner: object, recordNo: number, name: string, part: Part) => {
    const kept = use(owner, recordNo) ?? { owner, parts: new Map<string, Part>(), bytes: OVERHEAD_BYTES }
    const replaced = kept.parts.get(name)
    const size = kept.bytes + part.bytes + OVERHEAD_BYTES - (replaced ? replaced.bytes + OVERHEAD_BYTES : 0)
    drop(recordNo)
    if (size > recordBytesMax) return
    kept.parts.set(name, part)
    kept.bytes = size
    held.set(recordNo, kept)
    bytes += size
    for (const oldest of held.keys()) {
      if (bytes <= bytesMax) return
      drop(oldest)
    }
  }
  const forget = (owner: object, recordNo: number) => {
    if (held.get(recordNo)?.owner === owner) drop(recordNo)
  }
  return { use, put, forget, bytes: () => bytes }
}

function follow(store: Store, since: number): DatasetRecordCache {
  let owner = {}
  let reached: number | null = since
  let knownPages = 0
  return {
    at: changeNo => {
      if (reached !== changeNo) return null
      return {
        isWarm: () => knownPages >= WARM_PAGES,
        noteComplete: isComplete => {
          knownPages = isComplete ? knownPages + 1 : 0
        },
        get: (recordNo, name) => (reached === changeNo ? store.use(owner, recordNo)?.parts.get(name)?.value : undefined),
        put: (recordNo, name, value, bytes) => {
          if (reached === changeNo) store.put(owner, recordNo, name, { value, bytes })
        },
      }
    },
    suspend: () => {
      reached = null
    },
    forget: recordNos => {
      for (const recordNo of recordNos) store.forget(owner, recordNo)
    },
    forgetAll: () => {
      owner = {}
    },
    resume: changeNo => {
      reached = changeNo
    },
  }
}
