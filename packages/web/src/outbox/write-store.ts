/**
 * Stores unsettled writes in the browser. After a failed write to storage, the whole set is stored as soon as storage works
 * again. It replaces what is stored only if `knowsAll` returns true; otherwise it would delete writes that this tab has not read.
 */
import type { Database } from '../storage/database.ts'
import type { Write } from './write.ts'

const RETRY_MS = 3_000

export function createWriteStore(database: Database, listAll: () => readonly Write[], knowsAll: () => boolean) {
  /** True if storage differs from the unsettled writes. */
  let hasGaps = false
  let hasChanged = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const entries = (writes: readonly Write[]) => writes.map(write => [write.id, write] as const)

  async function store(changed: readonly Write[], gone: readonly string[]): Promise<void> {
    hasChanged = true
    if (hasGaps) return
    if (!(await database.write('outbox', { put: entries(changed), delete: gone }))) storeAll()
  }

  function storeAll(): void {
    hasGaps = true
    clearTimeout(timer)
    timer = setTimeout(async () => {
      hasChanged = false
      const isStored = await database.write('outbox', { isWhole: knowsAll(), put: entries(listAll()) })
      // Changes made during the write are not stored yet, so everything is stored again.
      if (isStored && !hasChanged) hasGaps = false
      else storeAll()
    }, RETRY_MS)
  }

  return {
    storeAll,
    store: (changed: readonly Write[], gone: readonly string[]) => void store(changed, gone),
    stop: () => clearTimeout(timer),
  }
}
