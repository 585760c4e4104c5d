/**
 * Copies of what the annotation page needs to open without a network: who I am, the dataset, and the records ahead. They are
 * used only when the server cannot be reached, belong to one person, and go with them when they sign out.
 */
import { ConnectionError } from '@postil/client'
import { openTable } from './storage/browser-store.ts'

const table = openTable<unknown>('copies')

/** What the server answers, kept; what was kept when there is no answer. */
export async function withCopy<T>(key: string, load: () => Promise<T>): Promise<T> {
  // A browser that knows it is cut off need not try, and try again.
  const known = globalThis.navigator?.onLine === false ? await table.get(key) : undefined
  if (known !== undefined) return known as T
  try {
    const loaded = await load()
    // A browser without room must not stop the work.
    table.put(key, loaded).catch(() => undefined)
    return loaded
  } catch (error) {
    const kept = error instanceof ConnectionError ? await table.get(key) : undefined
    if (kept === undefined) throw error
    return kept as T
  }
}

export const forgetCopies = () => table.clear()
