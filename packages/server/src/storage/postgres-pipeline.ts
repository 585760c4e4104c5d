/**
 * Reads that send all their statements in one pipeline.
 *
 * The statements that a read issues in one turn of the event loop form a pipeline: one write, one response, and one snapshot
 * without `begin` and `commit`. PostgreSQL runs everything up to the `Sync` message in one transaction, and read-only sessions
 * use repeatable read by default. A second pipeline would see a different snapshot, so it is rejected (`PipelineSent`).
 */
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Param } from './database.ts'
import type { Connections } from './postgres-connections.ts'
import type { Query, Result, Statement } from './postgres-sql.ts'
import type { Tables } from './tables.ts'

/** Thrown if the read must run in a transaction instead. */
export class PipelineSent extends Error {}

/** Name and parser of a result column. */
interface Column {
  name: string
  parse(text: string): unknown
}

type Types = (oid: number) => Column['parse']

interface PipelinedStatement {
  statement: Statement
  params: readonly Param[]
}

interface WaitingStatement extends PipelinedStatement {
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Sends statements and returns their results in the same order. */
type SendPipeline = (statements: readonly PipelinedStatement[]) => Promise<Result[]>

interface Pipeline {
  query: Query
  /** Delays sending until `work` has ended. */
  hold<T>(work: Promise<T>): Promise<T>
  /** Sends the statements so far without waiting for results. No statements can be added afterwards. */
  sendNow(): Promise<void>
  /**
   * Resolves when all statements are answered. No statements can be added afterwards, and the connection must stay open until
   * then.
   */
  settled(): Promise<void>
}

/** Sends after all queued microtasks have run: by then, every statement that does not depend on a result has been added. */
export function createPipeline(send: SendPipeline): Pipeline {
  const waiting: WaitingStatement[] = []
  let holds = 0
  let sending: Promise<void> | null = null
  const sendAll = async () => {
    try {
      const results = waiting.length === 0 ? [] : await send(waiting)
      for (const [index, { resolve }] of waiting.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
  const sendIfReady = () => {
    if (holds === 0 && waiting.length > 0) sending ??= sendAll()
  }
  // `nextTick` callbacks run after the pending microtasks.
  const sendSoon = () => process.nextTick(sendIfReady)
  return {
    query: (statement, params) => {
      if (sending) return Promise.reject(new PipelineSent())
      if (waiting.length === 0) sendSoon()
      return new Promise((resolve, reject) => waiting.push({ statement, params, resolve, reject }))
    },
    hold: async work => {
      holds++
      try {
        return await work
      } finally {
        holds--
        sendSoon()
      }
    },
    // Waits for the next tick, so that every statement that does not depend on a result has been added.
    sendNow: () =>
      new Promise(resolve => {
        process.nextTick(() => {
          sendIfReady()
          resolve()
        })
      }),
    settled: () => {
      sending ??= sendAll()
      return sending
    },
  }
}

interface DescribedStatement extends PipelinedStatement {
  /** Known for a prepared statement; otherwise null, and PostgreSQL is asked to describe them. */
  columns: readonly Column[] | null
}

type QueryCallback = (error: Error | null | undefined) => void

/**
 * Several statements with one `Sync`. The client handles it as one query, which ends when the connection is ready for the next.
 */
class PipelineQuery extends pg.Query {
  readonly results: { rows: unknown[]; rowCount: number }[] = []
  readonly #statements: readonly DescribedStatement[]
  readonly #types: Types
  #columns: readonly Column[] | null
  #rows: unknown[] = []
  declare callback: QueryCallback

  constructor(statements: readonly DescribedStatement[], types: Types, callback: QueryCallback) {
    super({ text: '' })
    this.#statements = statements
    this.#types = types
    this.#columns = statements[0]?.columns ?? null
    this.callback = callback
  }

  override submit = (connection: pg.Connection): void => {
    const { stream } = connection
    stream.cork()
    for (const { statement, params, columns } of this.#statements) {
      const { name = '', text } = statement
      if (name === '') connection.parse({ name, text, types: [] }, true)
      connection.bind({ statement: name, values: params.map(toValue) }, true)
      if (columns === null) connection.describe({ type: 'P' }, true)
      connection.execute(null, true)
    }
    connection.sync()
    stream.uncork()
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#columns = toColumns(fields, this.#types)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#rows.push(toRow(this.#columns ?? [], fields))
  }

  handleCommandComplete(): void {
    this.results.push({ rows: this.#rows, rowCount: this.#rows.length })
    this.#rows = []
    this.#columns = this.#statements[this.results.length]?.columns ?? null
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }
}

function toValue(param: Param): string | Buffer | null {
  if (param === null || typeof param === 'string') return param
  return param instanceof Uint8Array ? Buffer.from(param.buffer, param.byteOffset, param.byteLength) : String(param)
}

function toRow(columns: readonly Column[], fields: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) {
    const { name, parse } = columns[index] as Column
    const text = fields[index] as string | null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

const toColumns = (fields: readonly pg.FieldDef[], types: Types): Column[] =>
  fields.map(({ name, dataTypeID }) => ({ name, parse: types(dataTypeID) }))

/** Runs statements as one pipeline on a connection. Named statements must already be prepared there. */
export function sendTogether(client: pg.PoolClient, statements: readonly DescribedStatement[], types: Types): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    const query: PipelineQuery = new PipelineQuery(statements, types, error => (error ? reject(error) : resolve(query.results)))
    client.query(query)
  })
}

/** Query builder that rejects: it is not for hot paths, so a read that uses it runs in a transaction. */
export const NO_KYSELY = new Kysely<Tables>({
  dialect: new PostgresDialect({
    pool: {
      connect: async () => {
        throw new PipelineSent()
      },
      end: async () => {},
    } as never,
  }),
})

interface SendOptions {
  /** Statement that begins a transaction with one snapshot. */
  begin: string
  types: Types
}

/** If a statement is not prepared on this connection yet, sends all of them in a normal transaction and stores their columns. */
export function createSendPipeline(connections: Connections, client: pg.PoolClient, { begin, types }: SendOptions): SendPipeline {
  const known = new Map<string, readonly Column[]>()
  const run = connections.runner(client)
  return async statements => {
    const pipelined = statements.map(given => ({ ...given, columns: known.get(given.statement.name ?? '') ?? null }))
    if (pipelined.every(({ statement, columns }) => statement.name === undefined || columns))
      return connections.sendTogether(client, pipelined, types)
    const [, ...results] = await Promise.all([
      run(begin, []),
      ...statements.map(({ statement, params }) => run(statement, params)),
      run('commit', []),
    ])
    for (const [index, { statement }] of statements.entries())
      if (statement.name !== undefined) known.set(statement.name, toColumns(results[index]?.fields ?? [], types))
    return results.slice(0, -1)
  }
}
