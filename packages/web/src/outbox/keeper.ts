/** Keeps unsettled writes in the browser's storage. What could not be stored is stored whole as soon as storage works again. */
import type { Database } from '../storage/database.ts'
import type { Write } from './write.ts'

const AGAIN_MS = 3_000

export function openKeeper(database: Database, listAll: () => readonly Write[]) {
  /** Storage differs from what is unsettled. */
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
      const isStored = await database.write('outbox', { isWhole: true, put: entries(listAll()) })
      // What came meanwhile was left to this.
      if (isStored && !hasChanged) hasGaps = false
      else storeAll()
    }, AGAIN_MS)
  }

  return {
    store: (changed: readonly Write[], gone: readonly string[]) => void store(changed, gone),
    stop: () => clearTimeout(timer),
  }
}
