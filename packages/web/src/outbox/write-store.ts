/**
 * Stores unsettled writes in the browser. After a failed write to storage, the whole set is stored as soon as storage works
 * again. It replaces what is stored only if that has been read; otherwise it would delete writes of an earlier visit.
 */
import type { Database } from '../storage/database.ts'
import type { Write } from './write.ts'

const RETRY_MS = 3_000

export function openWriteStore(database: Database, listAll: () => readonly Write[]) {
  /** True if storage differs from the unsettled writes. */
  let hasGaps = false
  let hasChanged = false
  let timer: ReturnType<typeof setTimeout> | undefined
  /** True if this tab leads and knows what is stored. */
  let hasRead = false
  let reads = 0
  let readTimer: ReturnType<typeof setTimeout> | undefined

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
      const isStored = await database.write('outbox', { isWhole: hasRead, put: entries(listAll()) })
      // Changes made during the write are not stored yet, so everything is stored again.
      if (isStored && !hasChanged) hasGaps = false
      else storeAll()
    }, RETRY_MS)
  }

  /** Returns the stored writes. If storage does not respond, returns none, and passes them to `onLate` once it does. */
  async function read(onLate: (stored: readonly Write[]) => void): Promise<readonly Write[]> {
    const current = ++reads
    const stored = await database.all<Write>('outbox')
    if (current !== reads) return []
    hasRead = stored !== null
    if (!hasRead) readTimer = setTimeout(() => void readLate(onLate), RETRY_MS)
    return stored ?? []
  }

  async function readLate(onLate: (stored: readonly Write[]) => void): Promise<void> {
    const stored = await read(onLate)
    if (!hasRead) return
    onLate(stored)
    // Deletes writes that were settled meanwhile.
    storeAll()
  }

  /** For a tab that no longer leads: another tab changes what is stored. */
  function release(): void {
    reads++
    hasRead = false
    clearTimeout(readTimer)
  }

  return {
    read,
    release,
    store: (changed: readonly Write[], gone: readonly string[]) => void store(changed, gone),
    stop: () => {
      clearTimeout(timer)
      release()
    },
  }
}
