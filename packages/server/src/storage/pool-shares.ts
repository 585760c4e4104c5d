/**
 * How the connections of one process are shared out among its threads. Each has a pool of its own, because connections cannot be passed between
 * threads. Together they have at most `SERVICE_DATABASE_POSTGRESQL_POOL_SIZE` + `SERVICE_DATABASE_POSTGRESQL_MAX_OVERFLOW`.
 */

/** Who opens the database: a thread of the server, or a command. */
export type DatabaseUser = 'main' | 'writer' | 'search' | 'list' | 'checker' | 'merger' | 'sender' | 'command'

export interface PoolLimits {
  postgresPoolSize: number
  postgresMaxOverflow: number
  readerThreads: number
}

/** A search reads in its own snapshot while the index reads in another. The writer has what is left. */
const SHARES: Readonly<Record<Exclude<DatabaseUser, 'writer' | 'command'>, number>> = {
  main: 3,
  search: 2,
  list: 2,
  checker: 1,
  merger: 1,
  sender: 1,
}

/** Connections that are not of a pool: the one that listens to notifications, and one to spare. */
const APART = 2
const WRITER_MIN = 2
/** A command runs instead of a server, or beside one for a short time. */
const COMMAND_CONNECTIONS = 4

const takenByReaders = (readerThreads: number) =>
  APART + SHARES.main + SHARES.list + SHARES.checker + SHARES.merger + SHARES.sender + SHARES.search * readerThreads

export const connectionsMin = (readerThreads: number) => takenByReaders(readerThreads) + WRITER_MIN

export function connectionsOf(user: DatabaseUser, limits: PoolLimits): number {
  if (user === 'command') return COMMAND_CONNECTIONS
  if (user !== 'writer') return SHARES[user]
  const total = limits.postgresPoolSize + limits.postgresMaxOverflow
  return Math.max(WRITER_MIN, total - takenByReaders(limits.readerThreads))
}
