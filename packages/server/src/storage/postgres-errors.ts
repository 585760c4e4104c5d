/** Errors of PostgreSQL and of the connections to it: which of them another attempt may get past. */
import pg from 'pg'

/** Errors of the driver that have no code of their own, so that they are recognised in every thread. */
const DRIVER_ERRORS: readonly [words: RegExp, code: string][] = [
  [/connection terminated|trying to connect|encountered a connection error|not queryable|read timeout/i, 'POSTGRES_DISCONNECTED'],
  [/does not support SSL/i, 'POSTGRES_NO_TLS'],
  [/password must be a string/i, 'POSTGRES_NO_PASSWORD'],
]

/** Network errors of Node, such as ECONNREFUSED. */
const NETWORK = /^E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN)$/

/** Those of the network get a code that says whose they are: other connections fail with the same ones. */
export function withCode(error: unknown): unknown {
  // A name with several addresses, none of which answers.
  if (error instanceof AggregateError && error.errors.length > 0) return withCode(error.errors[0])
  if (!(error instanceof Error)) return error
  if ('code' in error) return NETWORK.test(codeOf(error)) ? Object.assign(error, { code: `POSTGRES_${codeOf(error)}` }) : error
  const code = DRIVER_ERRORS.find(([words]) => words.test(error.message))?.[1]
  return code === undefined ? error : Object.assign(error, { code })
}

const codeOf = (error: unknown): string => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : ''
}

/**
 * The server has closed the connection, does not accept one, or cannot be reached. By class 08, and 57P01 to 57P05 for shutdowns, crashes and
 * starts; 53300 means too many connections.
 */
export function isDisconnected(error: unknown): boolean {
  const code = codeOf(error)
  return /^POSTGRES_(DISCONNECTED|E\w+)$/.test(code) || /^(08...|57P0.|53300)$/.test(code)
}

/** The same may work later: connections, resources, timeouts, shutdowns, and a server that only reads. */
export const isUnavailable = (error: unknown): boolean =>
  isDisconnected(error) || /^(53...|57014|55P03|25006|25P03|58030|XX00[12])$/.test(codeOf(error))

/**
 * Errors by which PostgreSQL undoes a transaction because of others: serialization failures and deadlocks, and violations of unique and
 * foreign keys, because another transaction inserted or deleted a row between our check and our insert. The next attempt finds that when
 * it checks. Stores that expect a violation throw an error of their own.
 */
const COLLISIONS: ReadonlySet<string | undefined> = new Set(['40001', '40P01', '23505', '23503'])

export const isCollision = (error: unknown) => error instanceof pg.DatabaseError && COLLISIONS.has(error.code)
export const hasCode = (error: unknown, code: string) => error instanceof pg.DatabaseError && error.code === code
