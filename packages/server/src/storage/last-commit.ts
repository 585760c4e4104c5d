/**
 * Detects that acknowledged writes are missing, because the write-ahead log (`-wal`) was deleted or shortened after a kill: SQLite
 * then opens the older state without an error.
 *
 * Each commit of the server increments a number in the database (`user_version`). After the commit, the number is also written to a
 * file beside the database, without a sync: the file may be behind the database, never ahead of it. Each start chooses a random
 * first number, so that a restored copy of another day is not mistaken for a database that lost its log. Backups have the number 0.
 */
import { randomInt } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import { toRealFile } from './database-file.ts'
import { isOutage } from './storage-failure.ts'

export const LAST_COMMIT_SUFFIX = '.last-commit'

/** `user_version` is a signed number of 32 bits. After the largest number follows 1; 0 means that commits are not counted. */
const NUMBER_MAX = 2 ** 31 - 1
/** Fixed, so that every line overwrites the one before. */
const LINE_BYTES = 100

interface LastCommit {
  /** Number with which the server started. */
  first: number
  last: number
  /** Time of the last commit. */
  at: string
}

const next = (number: number) => (number === NUMBER_MAX ? 1 : number + 1)
const distance = (from: number, to: number) => (to - from + NUMBER_MAX) % NUMBER_MAX
const numberOf = (db: SqliteDatabase.Database) => db.pragma('user_version', { simple: true }) as number
const toNotePath = (path: string) => `${toRealFile(path)}${LAST_COMMIT_SUFFIX}`

/** Returns null if there is no file, or none that is complete: after a power cut it may be empty. */
function readNote(path: string): LastCommit | null {
  try {
    const { first, last, at } = JSON.parse(readFileSync(path, 'utf8')) as Partial<LastCommit>
    const isWhole = Number.isInteger(first) && Number.isInteger(last) && typeof at === 'string'
    return isWhole ? ({ first, last, at } as LastCommit) : null
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function writeNote(fd: number, note: LastCommit): void {
  writeSync(fd, `${JSON.stringify(note)}`.padEnd(LINE_BYTES - 1).concat('\n'), 0)
}

/** Returns a sentence for the operator if the database is older than its last commit, or null. It may be in use. */
export function findLostCommits(path: string): string | null {
  const notePath = toNotePath(path)
  // Read before the database, in which more may be committed meanwhile.
  const note = readNote(notePath)
  if (note === null) return null
  const db = new SqliteDatabase(path, { readonly: true })
  try {
    const number = numberOf(db)
    const [found, expected] = [distance(note.first, number), distance(note.first, note.last)]
    if (number === 0 || found >= expected) return null
    const lost = expected - found
    return (
      `${path} is older than its last commit: the last ${lost === 1 ? 'commit is' : `${lost} commits are`} missing, until ${note.at}, ` +
      `because the log ${path}-wal was deleted, replaced or cut off while no server ran. Put the log back, or restore a backup. ` +
      `To continue without these writes, delete ${notePath}.`
    )
  } finally {
    db.close()
  }
}

/** Prepares the count for a server that starts. `isSynced` is false if commits are not synced: a power cut may then lose some. */
export function beginCommits(path: string, { isSynced }: { isSynced: boolean }): void {
  const notePath = toNotePath(path)
  if (!isSynced) {
    rmSync(notePath, { force: true })
    return
  }
  const first = randomInt(1, NUMBER_MAX)
  try {
    setNumber(path, first)
    const fd = openSync(notePath, 'w', 0o600)
    try {
      writeNote(fd, { first, last: first, at: new Date().toISOString() })
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    // For example, the disk is full: the server starts nevertheless, because most reads work, and does not count.
    if (!isOutage(error)) throw error
    rmSync(notePath, { force: true })
  }
}

function setNumber(path: string, number: number): void {
  const db = new SqliteDatabase(path)
  try {
    db.pragma(`user_version = ${number}`)
    // The number must be in the database file itself: the log may be lost.
    db.pragma('wal_checkpoint(truncate)')
  } finally {
    db.close()
  }
}

export interface CommitCounter {
  /** Within a transaction that writes, right before its commit. */
  beforeCommit(): void
  afterCommit(): void
  close(): void
}

/** Returns null if the commits of this database are not counted. */
export function openCommitCounter(db: SqliteDatabase.Database, path: string): CommitCounter | null {
  const notePath = toNotePath(path)
  const note = readNote(notePath)
  if (note === null) return null
  const fd = openSync(notePath, 'r+')
  const changes = db.prepare('select total_changes()').pluck()
  let last = numberOf(db)
  let counted = changes.get()
  /** Number of the current transaction; null if it changed nothing, so that it need not write. */
  let pending: number | null = null
  return {
    beforeCommit: () => {
      pending = null
      const total = changes.get()
      if (total === counted) return
      counted = total
      pending = next(last)
      db.exec(`pragma user_version = ${pending}`)
    },
    afterCommit: () => {
      if (pending === null) return
      last = pending
      try {
        writeNote(fd, { first: note.first, last, at: new Date().toISOString() })
      } catch {
        // The commit is stored. The number in the file is older than that in the database, which is allowed.
      }
    },
    close: () => closeSync(fd),
  }
}
