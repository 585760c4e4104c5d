/** A consistent copy of a database, taken while others write to it. */
import SqliteDatabase from 'better-sqlite3'
import { OperatorError } from '../lib/operator-error.ts'

/** 4 MiB of usual pages: enough to be fast, few enough that a signal or a progress line does not wait. */
const PAGES_PER_STEP = 1024

export interface BackupSource {
  /** How many bytes the copy will have. */
  bytes: number
  /** Copies into a new file. `onProgress` gets what is done, from 0 to 1, and may throw to stop. */
  copyTo(path: string, onProgress: (done: number) => void): Promise<Map<string, number>>
  close(): void
}

/**
 * Opens the database and holds its present state: a read transaction, so that writes by the server neither show in the copy
 * nor make it begin anew. The log of the database cannot be emptied until the copy is made.
 */
export function openBackupSource(file: string, busyTimeoutMs: number): BackupSource {
  const source = new SqliteDatabase(file, { readonly: true, timeout: busyTimeoutMs })
  try {
    source.exec('begin')
    const pages = source.prepare('select page_count * page_size from pragma_page_count, pragma_page_size').pluck()
    // The first read takes the snapshot.
    source.prepare('select count(*) from sqlite_master').get()
    return {
      bytes: pages.get() as number,
      copyTo: async (path, onProgress) => {
        await source.backup(path, {
          progress: ({ totalPages, remainingPages }) => {
            onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
            return PAGES_PER_STEP
          },
        })
        const expected = countRows(source)
        // Checking takes long too, and needs the source no more: its log may be emptied again.
        source.exec('commit')
        return checkCopy(path, expected)
      },
      close: () => void source.close(),
    }
  } catch (error) {
    source.close()
    throw error
  }
}

/** Reads the copy as a whole and counts its rows. Answers the rows by table. */
function checkCopy(path: string, expected: ReadonlyMap<string, number>): Map<string, number> {
  const copy = new SqliteDatabase(path)
  try {
    // A copy without a log is complete in its one file.
    copy.pragma('journal_mode = delete')
    const [found] = copy.pragma('quick_check(1)', { simple: false }) as { quick_check: string }[]
    if (found?.quick_check !== 'ok')
      throw new OperatorError(`The copy ${path} is damaged: ${found?.quick_check}. Check both disks.`)
    const copied = countRows(copy)
    for (const [table, rows] of expected) {
      if (copied.get(table) === rows) continue
      throw new OperatorError(
        `The copy ${path} has ${copied.get(table) ?? 'no'} rows in ${table} instead of ${rows}. Check both disks.`,
      )
    }
    return copied
  } finally {
    copy.close()
  }
}

function countRows(db: SqliteDatabase.Database): Map<string, number> {
  const tables = db
    .prepare("select name from sqlite_master where type = 'table' and sql not like 'create virtual table%' order by name")
    .pluck()
    .all() as string[]
  return new Map(tables.map(name => [name, db.prepare(`select count(*) from "${name}"`).pluck().get() as number]))
}
