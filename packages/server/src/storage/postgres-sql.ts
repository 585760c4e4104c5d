/**
 * Plain SQL on one connection of PostgreSQL, or on any of a pool.
 *
 * Statements are prepared once for each connection, under a name. Lists with a limit are not: PostgreSQL plans them with their values, because a
 * plan for any values may walk the records of all datasets in the order of the list.
 */
import type { Param, Sql } from './database.ts'

interface Result {
  rows: unknown[]
  rowCount: number | null
}

export interface Statement {
  /** With `$1` marks. */
  text: string
  /** Under which it is prepared. */
  name?: string
}

/** Runs one statement. Several may be sent before the first is answered; they run in their order. */
export type Query = (statement: Statement, params: readonly Param[]) => Promise<Result>

/** Rows of one statement: few enough that one is prepared for each power of two up to this. */
const ROWS_PER_INSERT = 64
/** Lists of values differ in their lengths; only the shortest come again and again. */
const LIST_VALUES_MAX = 8
/** Statements that are sent before the answers of the first are awaited. */
const SENT_AHEAD = 256

export function postgresSql(run: Query): Sql {
  const one = (text: string, params: readonly Param[]) => run(named(text), params)
  const list = (text: string, params: readonly Param[]) =>
    run(/\blimit\b/i.test(text) || params.length > LIST_VALUES_MAX ? { text: numberMarks(text) } : named(text), params)
  return {
    all: async (text, params = []) => (await list(text, params)).rows as never,
    get: async (text, params = []) => (await one(text, params)).rows[0] as never,
    column: async (text, params = []) => (await list(text, params)).rows.map(row => Object.values(row as object)[0]),
    run: async (text, params = []) => ({ changes: (await one(text, params)).rowCount ?? 0 }),
    runEach: async (text, rows) => {
      for (let start = 0; start < rows.length; start += SENT_AHEAD) {
        await Promise.all(rows.slice(start, start + SENT_AHEAD).map(row => one(text, row)))
      }
    },
    reserveNumbers: async (table, count) => {
      const text = `with sequence as materialized (select pg_get_serial_sequence(?, 'no')::regclass as id)
        select nextval(id) as no from sequence, generate_series(1, ?::int)`
      return (await list(text, [table, count])).rows.map(row => Number((row as { no: unknown }).no)).sort((a, b) => a - b)
    },
    insertAll: async (table, columns, rows, onConflict = '') => {
      const sent: Promise<unknown>[] = []
      for (let start = 0; start < rows.length; ) {
        const count = Math.min(ROWS_PER_INSERT, 2 ** Math.floor(Math.log2(rows.length - start)))
        sent.push(one(insertText(table, columns, count, onConflict), rows.slice(start, start + count).flat()))
        start += count
      }
      await Promise.all(sent)
    },
  }
}

function insertText(table: string, columns: readonly string[], count: number, onConflict: string): string {
  const names = columns.map(column => `"${column}"`).join(', ')
  const row = `(${columns.map(() => '?').join(', ')})`
  return `insert into ${table} (${names}) values ${Array(count).fill(row).join(', ')} ${onConflict}`
}

/** Each stays prepared on each connection. */
const NAMES_MAX = 500
const statements = new Map<string, Required<Statement>>()

/** A statement with lists of values has another text for each length of the list: beyond the limit, texts stay without a name. */
function named(text: string): Statement {
  const known = statements.get(text)
  if (known) return known
  const numbered = numberMarks(text)
  if (statements.size >= NAMES_MAX) return { text: numbered }
  const statement = { text: numbered, name: `postil_${statements.size + 1}` }
  statements.set(text, statement)
  return statement
}

/** `?` to `$1`, `$2`, …: our statements hold no question marks but marks. */
function numberMarks(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}
