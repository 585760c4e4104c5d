import type { Kysely } from 'kysely'
import type { RowCache } from './row-cache.ts'
import type { Tables } from './tables.ts'

export type Param = string | number | bigint | null | Uint8Array

/**
 * Plain SQL with cached prepared statements, for hot paths where building a query costs more than running it. Values are bound
 * with `?` on both databases.
 */
export interface Sql {
  all<Row>(text: string, params?: readonly Param[]): Promise<Row[]>
  get<Row>(text: string, params?: readonly Param[]): Promise<Row | undefined>
  /** Returns the first column of every row, for long lists where creating an object per row would cost more than reading it. */
  column<Value>(text: string, params?: readonly Param[]): Promise<Value[]>
  run(text: string, params?: readonly Param[]): Promise<{ changes: number }>
  /** Runs the statement once for each list of params. */
  runEach(text: string, rows: readonly (readonly Param[])[]): Promise<void>
  /** Reserves ascending numbers for rows that will be inserted into `table`. */
  reserveNumbers(table: string, count: number): Promise<number[]>
  /** `onConflict` is the clause after the values. */
  insertAll(table: string, columns: readonly string[], rows: readonly (readonly Param[])[], onConflict?: string): Promise<void>
}

/** SQL that differs between the two databases. */
export interface Dialect {
  name: 'sqlite' | 'postgres'
  /** Column definition of an auto-increment number. */
  autoNumber: string
  /** Column types of 64-bit floats and of bytes. */
  double: string
  bytes: string
  /** Column type of text that is compared by code point. */
  text: string
  /** Table option for tables whose rows are stored in their primary key. */
  keyOnlyTable: string
  /**
   * Indexed form of texts that may be long, because PostgreSQL cannot index more than about 2,700 bytes. Queries must also
   * compare the text itself.
   */
  indexed: { column(name: string): string; value(text: string): string }
  /** Function that converts text to JSON. */
  toJson: string
  /** Clause that locks rows until the transaction ends, so that a rule that was checked stays valid. */
  forUpdate: string
  /** Clause for a shared lock that prevents changes to rows until the transaction ends. */
  forShare: string
  /** Clause that locks rows before they are deleted, so that no rows that refer to them can be inserted. */
  forDelete: string
  isUniqueViolation(error: unknown): boolean
  isForeignKeyViolation(error: unknown): boolean
  /**
   * True if the database could not be accessed, for example because it is locked, full or unreachable, so that a retry may
   * succeed.
   */
  isUnavailable(error: unknown): boolean
}

/** Database access for stores: the query builder for most queries, plain SQL for hot paths. */
export interface Queryable {
  kysely: Kysely<Tables>
  sql: Sql
  dialect: Dialect
  /** Cache of values derived from rows, for this thread. A rollback discards the values that the transaction cached. */
  cache: RowCache
  /** In `readAtOnce`: delays sending until `work`, which decides what to read, has ended. */
  hold?<T>(work: Promise<T>): Promise<T>
  /**
   * In `readAtOnce`: sends the statements so far, so that the database works meanwhile. A later statement makes the read run
   * again.
   */
  sendNow?(): Promise<void>
}

export interface Database extends Queryable {
  /**
   * Runs `story` in a transaction; inside another one, in a savepoint. PostgreSQL may roll it back because of concurrent writes.
   * Then it runs again from the beginning, so a story must not have side effects outside the database.
   */
  transaction<T>(story: (db: Queryable) => Promise<T>): Promise<T>
  /**
   * Runs several transactions with a single commit; each is rolled back alone if it fails. `check` throws `GroupRolledBack` if the
   * database has rolled back all of them in the meantime. If the returned promise rejects, none of them is stored.
   */
  group<T>(stories: (check: () => void) => Promise<T>): Promise<T>
  /** Runs several reads on one consistent snapshot. */
  snapshot<T>(reads: (db: Queryable) => Promise<T>): Promise<T>
  /**
   * Like `snapshot`, for reads that usually send all their statements before they await the first result: on PostgreSQL these
   * take one round trip. Other reads run again in a snapshot, so `reads` must not have side effects.
   */
  readAtOnce<T>(reads: (db: Queryable) => Promise<T>): Promise<T>
  /** Copies new pages of the write-ahead log into the database file if there are many; resolves with false if there are few. */
  copyLog(): Promise<boolean>
  /**
   * Runs `work` in one process at a time. For work that one of several starting processes does for all, such as migrations.
   * Cannot be nested.
   */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Copies the write-ahead log into the database file and empties it; resolves with false if a reader still uses it. */
  checkpoint(): Promise<boolean>
  /** Throws if the files of an SQLite database were moved, deleted or replaced. */
  checkFiles(): void
  close(): Promise<void>
}

/** The transaction of a group was rolled back, with all writes of the group. */
export class GroupRolledBack extends Error {}

/** Returns placeholders (`?, ?, ?`) for a list of bound values. */
export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
