import SqliteDatabase from 'better-sqlite3'
import { OperatorError } from './operator-error.ts'

/**
 * Locks an SQLite database for this process. `file` is its path without symbolic links, so that every path to it uses the same
 * lock. It is a lock of the operating system on a small file next to the database, so it ends with the process even after a
 * crash. Several processes may use one PostgreSQL database: there `alone` (storage/database.ts) serializes their work.
 */
export function lockDatabase(file: string): () => void {
  const db = new SqliteDatabase(`${file}.lock`, { timeout: 200 })
  try {
    db.pragma('locking_mode = exclusive')
    // Nothing is ever written, so no journal file is needed.
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
