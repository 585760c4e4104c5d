import pg from 'pg'
import { OperatorError } from '../lib/operator-error.ts'
import type { Source } from './source.ts'

const CONNECT_MS_MAX = 10_000

/** Returns every value as the text that PostgreSQL sends. */
const types = { getTypeParser: () => (value: string) => value }

export async function openPostgresSource(url: string): Promise<Source> {
  const place = toPlace(url)
  const client = new pg.Client({
    connectionString: url,
    application_name: 'postil import-argilla',
    connectionTimeoutMillis: CONNECT_MS_MAX,
    types: types as never,
  })
  // A lost connection makes the next statement fail.
  client.on('error', () => {})
  // Without this, the failure would be reported as one of our own database.
  const reading = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: Error) => {
      throw new OperatorError(`${place} cannot be read: ${error.message}.`, { cause: error })
    })
  const run = async (text: string, params: readonly unknown[]) => (await reading(client.query(text, [...params]))).rows
  try {
    await reading(client.connect())
    for (const text of SETTINGS) await run(text, [])
    await run('begin isolation level repeatable read read only', [])
  } catch (error) {
    await client.end()
    throw error
  }
  return {
    place,
    // The stored size, possibly compressed.
    sizeOf: column => `pg_column_size(${column})`,
    all: text => run(text, []),
    allWith: (text, ids, order = '') => run(`${text} = any($1::uuid[]) ${order}`, [ids]),
    close: () => client.end(),
  }
}

/** Disables timeouts, because the snapshot is held for the whole import, also between statements. */
const SETTINGS = ["set datestyle = 'iso'", 'set statement_timeout = 0', 'set idle_in_transaction_session_timeout = 0']

function toPlace(url: string): string {
  const [, host = '', name = ''] = /^postgresql:\/\/(?:[^@]*@)?([^/?]*)\/?([^?]*)/.exec(url) ?? []
  return `The PostgreSQL database ${name} at ${host || 'a socket'}`
}
