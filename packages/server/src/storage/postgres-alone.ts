/** Lock for work that only one of several processes may do at a time. */
import pg from 'pg'
import { ignoreError } from './postgres-connections.ts'
import { withCode } from './postgres-errors.ts'

/** Arbitrary key of the advisory lock, the same in all processes. */
const ALONE_LOCK = 7_665_712_451

/** Holds the lock on a dedicated connection, so that it is released even if the process is killed. */
export async function alone<T>(options: pg.ClientConfig, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client(options)
  client.on('error', ignoreError)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [ALONE_LOCK])
  } catch (error) {
    await client.end()
    throw withCode(error)
  }
  try {
    return await work()
  } finally {
    await client.end()
  }
}
