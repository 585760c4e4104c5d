/** Errors of PostgreSQL and of the connections to it: which of them another attempt may get past. */
import pg from 'pg'

/** The connection was lost, or none could be had in time. The driver gives these errors no code of their own. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly code = 'POSTGRES_DISCONNECTED'
}

const LOST =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i
/** Network errors of Node, such as ECONNREFUSED. */
const NETWORK = /^E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN)$/

/** Errors of the driver without a code get one, so that they are recognised in every thread. */
export function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError || 'code' in error) return error
  return LOST.test(error.message) ? new ConnectionLost(error.message, { cause: error }) : error
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
  return code === 'POSTGRES_DISCONNECTED' || NETWORK.test(code) || /^(08...|57P0.|53300)$/.test(code)
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
