/** Errors of PostgreSQL and of its connections, and which of them can be retried. */
import pg from 'pg'

/** Codes for driver errors that have none. Errors are recognised by code, because their class is lost between threads. */
const DRIVER_ERRORS: readonly [words: RegExp, code: string][] = [
  [/connection terminated|trying to connect|encountered a connection error|not queryable|read timeout/i, 'POSTGRES_DISCONNECTED'],
  [/does not support SSL/i, 'POSTGRES_NO_TLS'],
  [/password must be a string/i, 'POSTGRES_NO_PASSWORD'],
]

/** Network errors of Node, such as ECONNREFUSED. */
const NETWORK = /^E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN)$/

/**
 * Adds a code to driver errors, and a `POSTGRES_` prefix to network errors, because other connections fail with the same codes.
 */
export function withCode(error: unknown): unknown {
  // A host name with several addresses, none of which responds.
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
 * True if the server has closed the connection, does not accept one, or is unreachable: class 08, 57P01 to 57P05 for shutdowns,
 * crashes and startups, and 53300 for too many connections.
 */
export function isDisconnected(error: unknown): boolean {
  const code = codeOf(error)
  return /^POSTGRES_(DISCONNECTED|E\w+)$/.test(code) || /^(08...|57P0.|53300)$/.test(code)
}

/** True if a retry may succeed later: connections, resources, timeouts, shutdowns, and a read-only server. */
export const isUnavailable = (error: unknown): boolean =>
  isDisconnected(error) || /^(53...|57014|55P03|25006|25P03|58030|XX00[12])$/.test(codeOf(error))

/**
 * Errors by which PostgreSQL rolls back a transaction because of concurrent ones: serialization failures, deadlocks, and
 * violations of unique and foreign keys if another transaction inserted or deleted a row between our check and our insert. The
 * check of the next attempt finds that row. Stores that expect a violation throw their own error.
 */
const COLLISIONS: ReadonlySet<string | undefined> = new Set(['40001', '40P01', '23505', '23503'])

export const isCollision = (error: unknown) => error instanceof pg.DatabaseError && COLLISIONS.has(error.code)
export const hasCode = (error: unknown, code: string) => error instanceof pg.DatabaseError && error.code === code
