/**
 * A cache of what was worked out from rows, by id. Whoever keeps something keeps with it the version of the row that it came from, and
 * compares that with the row at hand: so a cache is right in however many threads or processes.
 */
const KEPT_MAX = 200

export interface Kept {
  get(id: string): unknown
  set(id: string, value: unknown): void
}

export interface OpenKept extends Kept {
  /** For what comes out of rows that were changed and undone. */
  clear(): void
}

export function openKept(): OpenKept {
  const values = new Map<string, unknown>()
  return {
    get: id => values.get(id),
    set: (id, value) => {
      if (values.size >= KEPT_MAX) values.clear()
      values.set(id, value)
    },
    clear: () => values.clear(),
  }
}

/** The cache of one transaction, which others do not see: the rows it changed may be undone, and get the same versions again. */
export function openKeptApart(shared: Kept): Kept & { share(): void } {
  const own = new Map<string, unknown>()
  return {
    get: id => own.get(id) ?? shared.get(id),
    set: (id, value) => void own.set(id, value),
    /** Call it after the commit. */
    share: () => {
      for (const [id, value] of own) shared.set(id, value)
    },
  }
}
