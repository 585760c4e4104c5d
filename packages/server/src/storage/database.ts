import type { Kysely } from 'kysely'
import type { Kept } from './kept.ts'
import type { Tables } from './tables.ts'

export type Param = string | number | bigint | null | Uint8Array

/**
 * Plain SQL, prepared once and kept: for the hot paths, where building a query costs more than running it.
 * Values are bound with `?` on both databases.
 */
export interface Sql {
  all<Row>(text: string, params?: readonly Param[]): Promise<Row[]>
  get<Row>(text: string, params?: readonly Param[]): Promise<Row | undefined>
  /** The first column of every row: for long lists, where an object for each row would cost more than to read it. */
  column<Value>(text: string, params?: readonly Param[]): Promise<Value[]>
  run(text: string, params?: readonly Param[]): Promise<{ changes: number }>
  /** Runs one statement for each list of params. */
  runEach(text: string, rows: readonly (readonly Param[])[]): Promise<void>
  /** Numbers for rows that are about to be inserted into `table`, ascending. */
  reserveNumbers(table: string, count: number): Promise<number[]>
  /** Inserts all rows; `onConflict` is the clause after the values. */
  insertAll(table: string, columns: readonly string[], rows: readonly (readonly Param[])[], onConflict?: string): Promise<void>
}

/** The few words in which the two databases differ. */
export interface Dialect {
  name: 'sqlite' | 'postgres'
  /** Column definition of a number the database counts up itself. */
  autoNumber: string
  /** Column type of 64-bit floats and of bytes. */
  double: string
  bytes: string
  /** Text compared by code point. */
  text: string
  /** Table option of tables that are nothing but their primary key. */
  keyOnlyTable: string
  /** What an index has of texts that may be long: PostgreSQL refuses to index more than about 2,700 bytes. Compare the texts found, too. */
  indexed: { column(name: string): string; value(text: string): string }
  /** Function that makes JSON of a text. */
  toJson: string
  /** Clause that locks the rows a rule depends on until the transaction ends. */
  forUpdate: string
  /** Clause that keeps rows from being changed until the transaction ends; several transactions can hold the same row. */
  forShare: string
  /** Clause that locks rows which are about to be deleted: rows that refer to them cannot be inserted meanwhile. */
  forDelete: string
  isUniqueViolation(error: unknown): boolean
  isForeignKeyViolation(error: unknown): boolean
  /** Whether the database could not be read or written at all: locked, full, out of reach. The same may work later. */
  isUnavailable(error: unknown): boolean
}

/** What stores need: the query builder for everyday queries, plain SQL for hot ones. */
export interface Queryable {
  kysely: Kysely<Tables>
  sql: Sql
  dialect: Dialect
  /** What this thread remembers of rows. What a transaction that is undone has kept is forgotten. */
  kept: Kept
}

export interface Database extends Queryable {
  /**
   * Runs `story` in a transaction; inside one, in a savepoint. PostgreSQL may undo it because of others that write at the same time: then
   * it runs again from its beginning, so a story changes nothing but the database.
   */
  transaction<T>(story: (db: Queryable) => Promise<T>): Promise<T>
  /**
   * Runs several transactions with a single commit; each is undone alone if it fails. `check` throws `GroupUndone` if the
   * database has undone all of them meanwhile. If it rejects, none of them is stored.
   */
  group<T>(stories: (check: () => void) => Promise<T>): Promise<T>
  /** One consistent view for several reads. */
  snapshot<T>(reads: (db: Queryable) => Promise<T>): Promise<T>
  /** Copies what is new in the write-ahead log into the database file, if it is much; false when it is not. */
  copyLog(): Promise<boolean>
  /**
   * Runs `work` while no other process does: for what one of several processes that start at the same time does for all, such as
   * migrations. It cannot be nested.
   */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Copies the write-ahead log into the database file and empties it; false when somebody still reads from it. */
  checkpoint(): Promise<boolean>
  close(): Promise<void>
}

/** The transaction that a group shares is gone, with all that the group wrote. */
export class GroupUndone extends Error {}

/** `?, ?, ?` for a list of bound values. */
export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
