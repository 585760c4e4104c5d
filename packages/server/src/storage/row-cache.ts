/**
 * Cache of values derived from rows, by id. Each entry contains the version of its row, and the reader compares it with the
 * current row, so that the cache stays correct with any number of threads and processes.
 */
const ENTRIES_MAX = 200

export interface RowCache {
  get(id: string): unknown
  set(id: string, value: unknown): void
}

export interface ClearableRowCache extends RowCache {
  /** Called after a rollback, because entries may be derived from rows whose changes were rolled back. */
  clear(): void
}

export function createRowCache(): ClearableRowCache {
  const values = new Map<string, unknown>()
  return {
    get: id => values.get(id),
    set: (id, value) => {
      if (values.size >= ENTRIES_MAX) values.clear()
      values.set(id, value)
    },
    clear: () => values.clear(),
  }
}

/**
 * Cache of one transaction, which others do not see: the changes to its rows may be rolled back, and other changes may then get
 * the same versions.
 */
export function createTransactionCache(shared: RowCache): RowCache & { share(): void } {
  const own = new Map<string, unknown>()
  return {
    get: id => own.get(id) ?? shared.get(id),
    set: (id, value) => void own.set(id, value),
    /** Publishes the entries to the shared cache. Must be called after the commit. */
    share: () => {
      for (const [id, value] of own) shared.set(id, value)
    },
  }
}
