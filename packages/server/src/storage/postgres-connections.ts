/** Connections of a pool and statements on them. Adds codes to errors, and detects a dead network early. */
import pg from 'pg'
import { isDisconnected, withCode } from './postgres-errors.ts'
import { type Liveness, openLiveness, toNoResponseError } from './postgres-liveness.ts'
import { sendTogether } from './postgres-pipeline.ts'
import type { Result, Statement } from './postgres-sql.ts'

export interface Connections {
  connect(): Promise<pg.PoolClient>
  /** Returns a function that runs statements on a connection. */
  runner(client: pg.PoolClient): (statement: string | Statement, params: readonly unknown[]) => Promise<pg.QueryResult>
  /** Runs statements as one pipeline. Named statements must already be prepared on this connection. */
  sendTogether(client: pg.PoolClient, ...pipeline: Pipeline): Promise<Result[]>
  /** Runs `work` on a connection, which is not reused if it was lost. */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

type Pipeline = Parameters<typeof sendTogether> extends [pg.PoolClient, ...infer Rest] ? Rest : never

/**
 * Ignores errors of a connection: the pool replaces one that breaks while idle or closing, and a query that runs on one rejects
 * anyway.
 */
export const ignoreError = () => {}

export function openConnections(config: pg.PoolConfig & { connectionString: string }): Connections {
  const pool = new pg.Pool(config)
  pool.on('error', ignoreError)
  pool.on('connect', client => void client.on('error', ignoreError))
  const liveness = openLiveness(config.connectionString)

  const connect = () => connectTo(pool, liveness)
  return {
    connect,
    runner: client => {
      const gather = createCork(client)
      return (statement, params) => {
        const values = params as unknown[]
        gather()
        const running = typeof statement === 'string' ? client.query(statement, values) : client.query({ ...statement, values })
        return awaitResponse(liveness, running, () => client.connection.stream.destroy())
      }
    },
    sendTogether: (client, ...pipeline) =>
      awaitResponse(liveness, sendTogether(client, ...pipeline), () => client.connection.stream.destroy()),
    use: async work => {
      const client = await connect()
      let isBroken = false
      try {
        return await work(client)
      } catch (error) {
        isBroken = isDisconnected(error)
        throw error
      } finally {
        client.release(isBroken)
      }
    },
    close: async () => {
      liveness.close()
      await pool.end()
    },
  }
}

/**
 * Corks the stream so that statements that do not wait for each other, such as `begin` and the first one, are sent in one write,
 * because each write is expensive.
 */
function createCork({ connection }: pg.PoolClient): () => void {
  let isGathering = false
  return () => {
    if (isGathering) return
    isGathering = true
    const { stream } = connection
    stream.cork()
    // `nextTick` callbacks run after the pending microtasks.
    process.nextTick(() => {
      isGathering = false
      stream.uncork()
    })
  }
}

async function awaitResponse<T>(liveness: Liveness, running: Promise<T>, onDead: () => void): Promise<T> {
  const end = liveness.wait(onDead)
  try {
    const result = await running
    end(true)
    return result
  } catch (error) {
    end(error instanceof pg.DatabaseError)
    throw withCode(error)
  }
}

async function connectTo(pool: pg.Pool, liveness: Liveness): Promise<pg.PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
  const end = liveness.wait(() => reject(toNoResponseError()))
  try {
    liveness.check()
    const connecting = pool.connect()
    connecting.then(resolve, reject)
    return await promise.catch(async error => {
      // A connection that arrives after the wait was aborted is returned to the pool.
      connecting.then(client => client.release(), ignoreError)
      throw error
    })
  } catch (error) {
    throw withCode(error)
  } finally {
    // An idle connection from the pool does not show that PostgreSQL responds.
    end(false)
  }
}
