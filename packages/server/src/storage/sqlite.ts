/**
 * SQLite, the embedded database. Calls are synchronous; one thread writes (threads/run-worker.ts), the others open the file
 * read-only.
 */
import SqliteDatabase from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { type Database, type Dialect, GroupRolledBack, type Param, type Queryable, type Sql } from './database.ts'
import { watchFiles } from './database-file.ts'
import { openCommitCounter } from './last-commit.ts'
import { createRowCache } from './row-cache.ts'
import { StatementCache } from './statement-cache.ts'
import { findStorageFailure } from './storage-failure.ts'
import type { Tables } from './tables.ts'

export interface SqliteOptions {
  path: string
  readonly: boolean
  synchronous: 'full' | 'normal'
  busyTimeoutMs: number
  /** Page cache of this connection. */
  cacheMb: number
  /** True for the writer of a server: missing commits are noticed at the next start (last-commit.ts). */
  countsCommits?: boolean
  /** Called before every statement of `Sql`; may throw to abort. */
  beforeStatement?: () => void
}

const sqliteDialect: Dialect = {
  name: 'sqlite',
  autoNumber: 'integer primary key autoincrement',
  double: 'real',
  bytes: 'blob',
  text: 'text',
  keyOnlyTable: 'without rowid',
  indexed: { column: name => name, value: text => text },
  toJson: 'json_quote',
  forUpdate: '',
  forShare: '',
  forDelete: '',
  isUniqueViolation: error =>
    error instanceof SqliteDatabase.SqliteError && /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(error.code),
  isForeignKeyViolation: error => error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY',
  isUnavailable: error => findStorageFailure(error) !== null,
}

export interface SqliteHandle extends Database {
  raw: SqliteDatabase.Database
}

export function openSqlite(options: SqliteOptions): SqliteHandle {
  const raw = new SqliteDatabase(options.path, { readonly: options.readonly, timeout: options.busyTimeoutMs })
  raw.pragma('foreign_keys = on')
  raw.pragma(`cache_size = ${-1024 * options.cacheMb}`)
  raw.pragma('temp_store = memory')
  if (!options.readonly) {
    raw.pragma('journal_mode = wal')
    raw.pragma(`synchronous = ${options.synchronous}`)
    // Fewer, larger checkpoints cost less than many small ones.
    raw.pragma('wal_autocheckpoint = 4000')
    // Truncates a large log when it restarts.
    raw.pragma(`journal_size_limit = ${LOG_KEPT_BYTES}`)
  }
  const checkFiles = options.readonly || raw.memory ? () => {} : watchFiles(options.path)
  const counter = options.countsCommits ? openCommitCounter(raw, options.path) : null
  const beforeCommit = () => {
    checkFiles()
    counter?.beforeCommit()
  }
  const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: raw }) })
  const cache = createRowCache()
  const queryable: Queryable = { kysely, sql: sqliteSql(raw, options.beforeStatement), dialect: sqliteDialect, cache }
  return {
    ...queryable,
    raw,
    copyLog: createLogCopy(raw),
    ...transactions(raw, queryable, { onRollback: cache.clear, beforeCommit, afterCommit: counter?.afterCommit }),
    checkFiles,
    // The process that writes holds the lock of the database file, so there is no other (lib/lock.ts).
    alone: work => work(),
    checkpoint: async () => checkpoint(raw, options.busyTimeoutMs),
    close: async () => {
      raw.close()
      counter?.close()
    },
  }
}

const LOG_KEPT_BYTES = 16 * 1024 * 1024
/** Short, because new reads are held back meanwhile; gives up if a reader is left. */
const CHECKPOINT_WAIT_MS = 200

function checkpoint(raw: SqliteDatabase.Database, busyTimeoutMs: number): boolean {
  if (raw.inTransaction) return false
  raw.pragma(`busy_timeout = ${CHECKPOINT_WAIT_MS}`)
  try {
    const [result] = raw.pragma('wal_checkpoint(truncate)') as { busy: number }[]
    return result?.busy === 0
  } finally {
    raw.pragma(`busy_timeout = ${busyTimeoutMs}`)
  }
}

/** Minimum number of new pages to copy; few enough that copying takes only milliseconds. */
const COPIED_PAGES_MIN = 1_000

interface LogState {
  /** Pages in the log, and how many of them are already in the database file. */
  log: number
  checkpointed: number
}

/** The first call disables SQLite's automatic checkpoints, which would run at the end of a commit and delay its reply. */
function createLogCopy(raw: SqliteDatabase.Database): () => Promise<boolean> {
  const run = (mode: 'noop' | 'passive') => (raw.pragma(`wal_checkpoint(${mode})`) as LogState[])[0] as LogState
  let isFirst = true
  /** Number of pages in the log at the last attempt that could not copy all of them because of a reader. */
  let triedAt = 0
  return async () => {
    if (isFirst) raw.pragma('wal_autocheckpoint = 0')
    isFirst = false
    const { log, checkpointed } = run('noop')
    // A shorter log has restarted since.
    const tried = log < triedAt ? 0 : triedAt
    if (log - Math.max(checkpointed, tried) < COPIED_PAGES_MIN) return false
    const copied = run('passive')
    triedAt = copied.checkpointed < copied.log ? copied.log : 0
    return true
  }
}

/** Inserts several rows per statement, because each statement has a fixed cost. */
const ROWS_PER_INSERT = 20

function sqliteSql(raw: SqliteDatabase.Database, beforeStatement: () => void = () => {}): Sql {
  const statements = new StatementCache(text => raw.prepare(text))
  const columns = new StatementCache(text => raw.prepare(text).pluck())
  const prepared = (text: string) => {
    beforeStatement()
    return statements.get(text)
  }
  const plucked = (text: string) => {
    beforeStatement()
    return columns.get(text)
  }
  const runEach = (text: string, rows: readonly (readonly Param[])[]) => {
    const statement = prepared(text)
    for (const row of rows) statement.run(row)
  }
  return {
    all: async (text, params = []) => prepared(text).all(params) as never,
    get: async (text, params = []) => prepared(text).get(params) as never,
    column: async (text, params = []) => plucked(text).all(params) as never,
    run: async (text, params = []) => ({ changes: prepared(text).run(params).changes }),
    runEach: async (text, rows) => runEach(text, rows),
    // Reading the last number is enough, because only one thread writes; `autoincrement` never reuses a number.
    reserveNumbers: async (table, count) => {
      const last = prepared('select seq from sqlite_sequence where name = ?').get([table]) as { seq: number } | undefined
      return Array.from({ length: count }, (_, index) => (last?.seq ?? 0) + 1 + index)
    },
    insertAll: async (table, columns, rows, onConflict = '') => {
      const names = columns.map(column => `"${column}"`).join(', ')
      const mark = `(${columns.map(() => '?').join(', ')})`
      const insert = (count: number) =>
        `insert into ${table} (${names}) values ${Array(count).fill(mark).join(', ')} ${onConflict}`
      const whole = rows.length - (rows.length % ROWS_PER_INSERT)
      if (whole > 0) {
        const statement = prepared(insert(ROWS_PER_INSERT))
        for (let i = 0; i < whole; i += ROWS_PER_INSERT) statement.run(rows.slice(i, i + ROWS_PER_INSERT).flat())
      }
      if (whole < rows.length) runEach(insert(1), rows.slice(whole))
    },
  }
}

/** Begins a transaction that writes. */
const WRITE = 'begin immediate'

interface TransactionHooks {
  onRollback(): void
  /** Called before the commit of a transaction that may write. May throw, which undoes the transaction. */
  beforeCommit(): void
  /** Must not throw. */
  afterCommit?: (() => void) | undefined
}

function transactions(raw: SqliteDatabase.Database, queryable: Queryable, hooks: TransactionHooks) {
  const { sql } = queryable
  let isGrouped = false
  const within = async <T>(begin: string, commit: string, rollback: string, story: () => Promise<T>): Promise<T> => {
    const isWrite = begin === WRITE
    await sql.run(begin)
    try {
      const result = await story()
      if (isWrite) hooks.beforeCommit()
      await sql.run(commit)
      if (isWrite) hooks.afterCommit?.()
      return result
    } catch (error) {
      // SQLite may have rolled back already, for example because the disk is full.
      if (raw.inTransaction) raw.exec(rollback)
      hooks.onRollback()
      throw error
    }
  }
  /**
   * SQLite rolls back the whole transaction when it runs out of disk space or memory. Later writes must then not be stored
   * outside the group.
   */
  const checkGroup = () => {
    if (isGrouped && !raw.inTransaction) throw new GroupRolledBack('SQLite undid the transaction of this group')
  }
  const transaction = async <T>(story: (db: Queryable) => Promise<T>): Promise<T> => {
    checkGroup()
    return raw.inTransaction
      ? within('savepoint story', 'release story', 'rollback to story; release story', () => story(queryable))
      : within(WRITE, 'commit', 'rollback', () => story(queryable))
  }
  const group = async <T>(stories: (check: () => void) => Promise<T>): Promise<T> => {
    try {
      return await within(WRITE, 'commit', 'rollback', () => {
        isGrouped = true
        return stories(checkGroup)
      })
    } finally {
      isGrouped = false
    }
  }
  const snapshot = <T>(reads: (db: Queryable) => Promise<T>) =>
    raw.inTransaction ? reads(queryable) : within('begin', 'commit', 'rollback', () => reads(queryable))
  return { transaction, group, snapshot, readAtOnce: snapshot }
}
