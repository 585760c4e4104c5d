import { statSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import { OperatorError } from '../lib/operator-error.ts'
import { checkDatabaseFile, toRealFile } from '../storage/database-file.ts'
import type { Source, SourceRow } from './source.ts'

/** Argilla may still be writing. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Argilla's own files have no write-ahead log, so nothing is left next to them. If a file was switched to one, SQLite creates
 * empty `-wal` and `-shm` files even for readers. They are not removed, because another process may already use them.
 */
export function openSqliteSource(given: string): Source {
  const file = findFile(given)
  if (statSync(`${file}-journal`, { throwIfNoEntry: false })?.size) {
    throw new OperatorError(
      `${file} has an unfinished transaction beside it (${file}-journal). Stop the Argilla server; if it was killed, start and stop it once, which repairs the file.`,
    )
  }
  // Without this, the failure would be reported as one of our own database.
  const reading = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw new OperatorError(`${file} cannot be read: ${(error as Error).message}.`, { cause: error })
    }
  }
  const raw = reading(() => new SqliteDatabase(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }))
  const run = (text: string, params: readonly string[]) => reading(() => raw.prepare(text).all(params) as SourceRow[])
  reading(() => {
    // The file may be untrusted, so its functions and triggers must not run.
    raw.pragma('trusted_schema = off')
    raw.pragma('query_only = on')
    // The transaction stays open until the end, so that all statements read the same state.
    raw.exec('begin')
  })
  return {
    place: file,
    sizeOf: column => `octet_length(${column})`,
    all: async text => run(text, []),
    allWith: async (text, ids, order = '') => run(`${text} in (${ids.map(() => '?').join(', ')}) ${order}`, ids),
    close: async () => void raw.close(),
  }
}

function findFile(given: string): string {
  try {
    const file = toRealFile(given)
    if (checkDatabaseFile(file, { hasKeys: false }) === 'present') return file
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  throw new OperatorError(
    `There is no database at ${given}. Argilla keeps it in argilla.db of its home path: sqlite:////<path>/argilla.db.`,
  )
}
