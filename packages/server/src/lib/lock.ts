import SqliteDatabase from 'better-sqlite3'
import { OperatorError } from './operator-error.ts'

/**
 * Holds an SQLite database for this process alone; `file` is its path without symbolic links, so that every way to it meets the same
 * lock. The lock is the operating system's, on a small file beside the database: it ends with the process, however that ends.
 * Several processes may use one PostgreSQL database: there `alone` of the database (storage/database.ts) makes them take turns.
 */
export function lockDatabase(file: string): () => void {
  const db = new SqliteDatabase(`${file}.lock`, { timeout: 200 })
  try {
    db.pragma('locking_mode = exclusive')
    // Nothing is ever written, so there is nothing to keep a journal file for.
    db.pragma('journal_mode = memory')
    db.exec('begin exclusive')
  } catch (error) {
    db.close()
    if (!(error instanceof SqliteDatabase.SqliteError) || error.code !== 'SQLITE_BUSY') throw error
    throw new OperatorError(
      `Another Postil process uses the database ${file}. Stop it first, or choose another with SERVICE_HOME_PATH or SERVICE_DATABASE_URL.`,
    )
  }
  return () => db.close()
}
