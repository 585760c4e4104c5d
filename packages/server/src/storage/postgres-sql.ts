/**
 * Plain SQL on one PostgreSQL connection, or on any connection of a pool.
 *
 * Statements are prepared once per connection, under a name. Lists with a limit are not prepared: PostgreSQL must plan them with
 * their values, because a generic plan may scan the records of all datasets in the order of the list.
 */
import type { Param, Sql } from './database.ts'
import { type ArrayType, bytesMaxOf, isArrayType, toBinaryArray } from './postgres-arrays.ts'

export interface Result {
  rows: unknown[]
  rowCount: number | null
}

export interface Statement {
  /** With `$1` placeholders. */
  text: string
  /** Name under which it is prepared. */
  name?: string
}

/** Runs one statement. Several may be sent before the first is answered; they run in order. */
export type Query = (statement: Statement, params: readonly Param[]) => Promise<Result>

/** Limits of one insert: larger ones are hardly faster, and all values are in memory twice while they are sent. */
const ROWS_PER_INSERT = 1_000
const BYTES_PER_INSERT = 4 * 1024 * 1024
/** With fewer rows, single inserts are faster than arrays. */
const ARRAY_ROWS_MIN = 3
/** Number of statements that are sent before their results are awaited. */
const SENT_AHEAD = 256

export function postgresSql(run: Query, columnTypes: ColumnTypes): Sql {
  const one = (text: string, params: readonly Param[]) => {
    const [constant, values] = hasList(text) ? withArrays(text, params) : [text, params]
    return run(toNamedStatement(constant), values)
  }
  const list = (text: string, params: readonly Param[]) => {
    const [constant, values] = hasList(text) ? withArrays(text, params) : [text, params]
    return run(/\blimit\b/i.test(text) ? { text: numberMarks(constant) } : toNamedStatement(constant), values)
  }
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
    reserveNumbers: (table, count) => reserveNumbers(one, table, count),
    insertAll: async (table, columns, rows, onConflict = '') => {
      if (rows.length < ARRAY_ROWS_MIN) {
        await Promise.all(rows.map(row => one(insertText(table, columns, onConflict), row)))
        return
      }
      const types = await columnTypes(run, table)
      const text = insertListsText(
        table,
        columns.map(column => ({ column, type: typeOf(types, table, column) })),
        onConflict,
      )
      const sent = Array.from(toBatches(rows), piece =>
        one(
          text,
          columns.map((column, index) =>
            toBinaryArray(
              typeOf(types, table, column),
              piece.map(row => row[index] as Param),
            ),
          ),
        ),
      )
      await Promise.all(sent)
    },
  }
}

async function reserveNumbers(one: Run, table: string, count: number): Promise<number[]> {
  // Returns one row, because the numbers are usually consecutive.
  const text = `with sequence as materialized (select pg_get_serial_sequence(?, 'no')::regclass as id),
    numbers as (select nextval(id) as no from sequence, generate_series(1, ?::int))
    select min(no) as first, case when max(no) - min(no) + 1 = count(*) then null else array_to_string(array_agg(no), ',') end as nos
    from numbers`
  const { first, nos } = (await one(text, [table, count])).rows[0] as { first: number; nos: string | null }
  if (nos !== null)
    return nos
      .split(',')
      .map(Number)
      .sort((a, b) => a - b)
  return Array.from({ length: count }, (_, index) => first + index)
}

type Run = (text: string, params: readonly Param[]) => Promise<Result>

/** Returns the column types of a table. */
export type ColumnTypes = (run: Query, table: string) => Promise<ReadonlyMap<string, ArrayType>>

/** Caches the types if `isKept`. Must not be used by code that changes tables. */
export function createColumnTypes({ isKept }: { isKept: boolean }): ColumnTypes {
  const known = new Map<string, ReadonlyMap<string, ArrayType>>()
  return async (run, table) => {
    const cached = known.get(table)
    if (cached) return cached
    const text = `select a.attname as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = $1::regclass and a.attnum > 0`
    const rows = (await run({ text }, [table])).rows as { name: string; type: string }[]
    const types = new Map(rows.flatMap(({ name, type }) => (isArrayType(type) ? [[name, type] as const] : [])))
    if (isKept) known.set(table, types)
    return types
  }
}

function typeOf(types: ReadonlyMap<string, ArrayType>, table: string, column: string): ArrayType {
  const type = types.get(column)
  if (!type) throw new Error(`Column ${column} of ${table} has a type that is not one of those in postgres-arrays.ts`)
  return type
}

function* toBatches(rows: readonly (readonly Param[])[]): Generator<readonly (readonly Param[])[]> {
  let [start, bytes] = [0, 0]
  for (const [index, row] of rows.entries()) {
    const more = row.reduce((sum: number, value) => sum + bytesMaxOf(value), 0)
    if (index > start && (bytes + more > BYTES_PER_INSERT || index - start === ROWS_PER_INSERT)) {
      yield rows.slice(start, index)
      ;[start, bytes] = [index, 0]
    }
    bytes += more
  }
  yield rows.slice(start)
}

const toNames = (columns: readonly string[]) => columns.map(column => `"${column}"`).join(', ')

function insertText(table: string, columns: readonly string[], onConflict: string): string {
  return `insert into ${table} (${toNames(columns)}) values (${columns.map(() => '?').join(', ')}) ${onConflict}`
}

function insertListsText(table: string, columns: readonly { column: string; type: ArrayType }[], onConflict: string): string {
  const arrays = columns.map(({ type }) => `?::${type}[]`).join(', ')
  return `insert into ${table} (${toNames(columns.map(({ column }) => column))}) select * from unnest(${arrays}) ${onConflict}`
}

const hasList = (text: string): boolean => text.includes('in (?')

/** Replaces lists of values by arrays: the text is then the same for every length, so that it can be prepared. */
function withArrays(text: string, params: readonly Param[]): [text: string, params: Param[]] {
  const values: Param[] = []
  let used = 0
  const constant = text.replaceAll(/(?<!\bnot )\bin \(\?(?:, \?)*\)|\?/g, marks => {
    if (marks === '?') {
      values.push(params[used++] as Param)
      return marks
    }
    const start = used
    used += marks.split('?').length - 1
    const listed = params.slice(start, used)
    const type = typeof listed[0] === 'string' ? 'text' : 'int8'
    values.push(toBinaryArray(type, listed))
    return `= any(?::${type}[])`
  })
  return [constant, values]
}

/** Limit for named statements, because each stays prepared on each connection. */
const NAMES_MAX = 500
const statements = new Map<string, Required<Statement>>()

/** Returns a statement with a name, or without one if the limit is reached. */
function toNamedStatement(text: string): Statement {
  const known = statements.get(text)
  if (known) return known
  const numbered = numberMarks(text)
  if (statements.size >= NAMES_MAX) return { text: numbered }
  const statement = { text: numbered, name: `postil_${statements.size + 1}` }
  statements.set(text, statement)
  return statement
}

/** Replaces `?` by `$1`, `$2`, …; our statements contain question marks only as placeholders. */
function numberMarks(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}
