/**
 * How the connections of one process are shared out among its threads. Each has a pool of its own, because connections cannot be passed between
 * threads. Together they have at most `SERVICE_DATABASE_POSTGRESQL_POOL_SIZE` + `SERVICE_DATABASE_POSTGRESQL_MAX_OVERFLOW`.
 */

/** Who opens the database: a thread of the server, or a command. */
export type DatabaseUser = 'main' | 'writer' | 'search' | 'list' | 'checker' | 'merger' | 'sender' | 'indexer' | 'command'

export interface PoolLimits {
  postgresPoolSize: number
  postgresMaxOverflow: number
  readerThreads: number
}

const toTotal = ({ postgresPoolSize, postgresMaxOverflow }: Omit<PoolLimits, 'readerThreads'>) =>
  postgresPoolSize + postgresMaxOverflow

/** Credentials and small reads of every request. */
const toMain = (total: number) => Math.min(6, Math.max(2, Math.floor(total / 6)))
/**
 * A search reads in its own snapshot while the index reads in another. A server merges text segments, or keeps a search cluster up to date: one
 * of the two counts.
 */
const SHARES = { search: 2, list: 2, checker: 1, merger: 1, indexer: 1, sender: 1 }
/** Not of a pool: the one that listens to notifications. */
const APART = 1
/** One for calls, one for background work. */
const WRITER_MIN = 2
/** Search threads leave so many. */
const WRITER_WANTED = 5
/** A command runs instead of a server, or beside one for a short time. */
const COMMAND_CONNECTIONS = 4

/** Without search threads and the writer. */
const toFixed = (total: number) => toMain(total) + SHARES.list + SHARES.checker + SHARES.merger + SHARES.sender + APART

/** Fewer than these cannot be shared out. */
export const CONNECTIONS_MIN = toFixed(0) + SHARES.search + WRITER_MIN

/** As many search threads as there are connections for. */
export function readersFor(limits: PoolLimits): number {
  const total = toTotal(limits)
  const most = Math.floor((total - toFixed(total) - WRITER_WANTED) / SHARES.search)
  return Math.max(1, Math.min(limits.readerThreads, most))
}

export function connectionsOf(user: DatabaseUser, limits: PoolLimits): number {
  const total = toTotal(limits)
  if (user === 'command') return COMMAND_CONNECTIONS
  if (user === 'main') return toMain(total)
  if (user !== 'writer') return SHARES[user]
  return Math.max(WRITER_MIN, total - toFixed(total) - SHARES.search * limits.readerThreads)
}
