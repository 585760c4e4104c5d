/**
 * Offline copies of the data that the annotation page needs: the dataset and the next records. They are used only if the server
 * cannot be reached, belong to one user, and are deleted at sign-out.
 */
import { ConnectionError } from '@postil/client'
import type { Session } from './session.ts'

/** Loads from the server and stores a copy. Returns the stored copy if the server cannot be reached. */
export async function withCopy<T>({ database }: Session, key: string, load: () => Promise<T>): Promise<T> {
  // Skips the request and its retries if the browser reports that it is offline.
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
