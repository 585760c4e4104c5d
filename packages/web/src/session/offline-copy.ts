/**
 * Copies of what the annotation page needs to open without a network: the dataset and the records ahead. They are used only
 * when the server cannot be reached, belong to one person, and go with them when they sign out.
 */
import { ConnectionError } from '@postil/client'
import type { Session } from './session.ts'

/** What the server answers, kept; what was kept when there is no answer. */
export async function withCopy<T>({ database }: Session, key: string, load: () => Promise<T>): Promise<T> {
  // A browser that knows it is cut off need not try, and try again.
  const known = globalThis.navigator?.onLine === false ? await database.get<T>('copies', key) : undefined
  if (known !== undefined) return known
  try {
    const loaded = await load()
    void database.write('copies', { put: [[key, loaded]] })
    return loaded
  } catch (error) {
    const kept = error instanceof ConnectionError ? await database.get<T>('copies', key) : undefined
    if (kept === undefined) throw error
    return kept
  }
}
