/** Plain SQL on one connection of PostgreSQL, or on any of a pool. */
import type { Param, Sql } from './database.ts'

/** PostgreSQL accepts 65,535 bound values in one statement. */
const BOUND_VALUES_MAX = 60_000

interface Result {
  rows: unknown[]
  rowCount: number | null
}

/** Runs one statement with `$1` marks. */
export type Query = (text: string, params: readonly Param[]) => Promise<Result>

export function postgresSql(run: Query): Sql {
  const query = (text: string, params: readonly Param[]) => run(numberMarks(text), params)
  return {
    all: async (text, params = []) => (await query(text, params)).rows as never,
    get: async (text, params = []) => (await query(text, params)).rows[0] as never,
    column: async (text, params = []) => (await query(text, params)).rows.map(row => Object.values(row as object)[0]),
    run: async (text, params = []) => ({ changes: (await query(text, params)).rowCount ?? 0 }),
    runEach: async (text, rows) => {
      for (const row of rows) await query(text, row)
    },
    reserveNumbers: async (table, count) => {
      const text = "select nextval(pg_get_serial_sequence(?, 'no')) as no from generate_series(1, ?::int)"
      return (await query(text, [table, count])).rows.map(row => Number((row as { no: unknown }).no)).sort((a, b) => a - b)
    },
    insertAll: async (table, columns, rows, onConflict = '') => {
      const names = columns.map(column => `"${column}"`).join(', ')
      const mark = `(${columns.map(() => '?').join(', ')})`
      const rowsMax = Math.floor(BOUND_VALUES_MAX / columns.length)
      for (let start = 0; start < rows.length; start += rowsMax) {
        const part = rows.slice(start, start + rowsMax)
        await query(`insert into ${table} (${names}) values ${part.map(() => mark).join(', ')} ${onConflict}`, part.flat())
      }
    },
  }
}

/** `?` to `$1`, `$2`, …: our statements hold no question marks but marks. */
function numberMarks(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}
