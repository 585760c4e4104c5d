/**
 * Distribution of a process's connections among its threads. Each thread has its own pool, because connections cannot be passed
 * between threads. Together they have at most `SERVICE_DATABASE_POSTGRESQL_POOL_SIZE` +
 * `SERVICE_DATABASE_POSTGRESQL_MAX_OVERFLOW` connections.
 */

/** User of a database handle: a thread of the server, or a command. */
export type DatabaseUser = 'main' | 'writer' | 'search' | 'list' | 'checker' | 'merger' | 'sender' | 'indexer' | 'hub' | 'command'

export interface PoolLimits {
  postgresPoolSize: number
  postgresMaxOverflow: number
  readerThreads: number
}

const toTotal = ({ postgresPoolSize, postgresMaxOverflow }: Omit<PoolLimits, 'readerThreads'>) =>
  postgresPoolSize + postgresMaxOverflow

/** Connections of the main thread, for authentication and small reads of every request. */
const toMain = (total: number) => Math.min(6, Math.max(2, Math.floor(total / 6)))
/**
 * `search` has two because a search reads in its own snapshot while the index reads in another; `hub` has two because an export
 * reads while its file is stored. Of `merger` and `indexer` only one counts, because a server either merges text segments or
 * updates a search cluster.
 */
const SHARES = { search: 2, list: 2, checker: 1, merger: 1, indexer: 1, sender: 1, hub: 2 }
/** Connection outside the pools that listens to notifications. */
const BUS_CONNECTIONS = 1
/** One for calls, one for background work. */
const WRITER_MIN = 2
/** Number of connections that search threads leave to the writer. */
const WRITER_PREFERRED = 5
/** A command runs instead of a server, or beside one for a short time. */
const COMMAND_CONNECTIONS = 4

/** Connections of all threads except search threads and the writer. */
const toFixed = (total: number) =>
  toMain(total) + SHARES.list + SHARES.checker + SHARES.merger + SHARES.sender + SHARES.hub + BUS_CONNECTIONS

/** Minimum number of connections of a process. */
export const CONNECTIONS_MIN = toFixed(0) + SHARES.search + WRITER_MIN

/** Returns the number of search threads, limited by the available connections. */
export function countSearchThreads(limits: PoolLimits): number {
  const total = toTotal(limits)
  const most = Math.floor((total - toFixed(total) - WRITER_PREFERRED) / SHARES.search)
  return Math.max(1, Math.min(limits.readerThreads, most))
}

export function connectionsOf(user: DatabaseUser, limits: PoolLimits): number {
  const total = toTotal(limits)
  if (user === 'command') return COMMAND_CONNECTIONS
  if (user === 'main') return toMain(total)
  if (user !== 'writer') return SHARES[user]
  return Math.max(WRITER_MIN, total - toFixed(total) - SHARES.search * limits.readerThreads)
}
