import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'

export class LockedError extends Error {}

/**
 * Holds a data folder for this process alone. The lock is the operating system's, on a small database beside the real
 * one, so that it vanishes with the process, however that ends.
 */
export function lockFolder(folder: string): () => void {
  const db = new SqliteDatabase(join(folder, 'lock.db'), { timeout: 200 })
  try {
    db.pragma('locking_mode = exclusive')
    db.exec('begin exclusive')
  } catch (error) {
    db.close()
    if (!(error instanceof SqliteDatabase.SqliteError) || error.code !== 'SQLITE_BUSY') throw error
    throw new LockedError(
      `Another Postil process uses the data folder ${folder}. Stop it first, or choose another folder with SERVICE_HOME_PATH.`,
    )
  }
  return () => db.close()
}
