/** Consistent copy of a database while the server writes to it. */
import SqliteDatabase from 'better-sqlite3'
import { OperatorError } from '../lib/operator-error.ts'

/**
 * 4 MiB with the default page size: large enough to be fast, and small enough that signals and progress lines are not delayed.
 */
const PAGES_PER_STEP = 1024

export interface BackupSource {
  /** Size of the copy. */
  bytes: number
  /** Copies into a new file. `onProgress` receives the completed fraction, from 0 to 1, and may throw to stop. */
  copyTo(path: string, onProgress: (done: number) => void): Promise<Map<string, number>>
  close(): void
}

/**
 * Opens the database and starts a read transaction, so that writes of the server neither appear in the copy nor restart it. The
 * write-ahead log cannot be emptied until the copy is complete.
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
        // Releases the snapshot before the copy is checked, which takes long too, so that the write-ahead log can be emptied
        // again.
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

/** Returns the newest schema revision of a database file; `base` if it has none. */
export function findRevision(path: string): string {
  const db = new SqliteDatabase(path, { readonly: true })
  try {
    const hasRevisions = db.prepare("select 1 from sqlite_master where name = 'revisions'").get() !== undefined
    return (hasRevisions ? (db.prepare('select max(name) from revisions').pluck().get() as string | null) : null) ?? 'base'
  } finally {
    db.close()
  }
}

/** Reads the whole copy and compares its row counts. Returns the number of rows by table. */
function checkCopy(path: string, expected: ReadonlyMap<string, number>): Map<string, number> {
  const copy = new SqliteDatabase(path)
  try {
    // Without a write-ahead log, the copy is complete in one file.
    copy.pragma('journal_mode = delete')
    // A restored backup has not lost the commits that followed it (last-commit.ts).
    copy.pragma('user_version = 0')
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
