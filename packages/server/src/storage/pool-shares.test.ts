import { expect, test } from 'vitest'
import { CONNECTIONS_MIN, connectionsOf, countSearchThreads, type PoolLimits } from './pool-shares.ts'

/** Counts the connections of all threads of a process, and the one for notifications. */
function countAll(limits: PoolLimits): number {
  const threads = ['main', 'writer', 'list', 'checker', 'merger', 'sender'] as const
  const searches = limits.readerThreads * connectionsOf('search', limits)
  return 1 + searches + threads.reduce((sum, user) => sum + connectionsOf(user, limits), 0)
}

test.each([
  { total: CONNECTIONS_MIN, cores: 1 },
  { total: CONNECTIONS_MIN, cores: 64 },
  { total: 25, cores: 2 },
  { total: 25, cores: 8 },
  { total: 25, cores: 64 },
  { total: 60, cores: 16 },
  { total: 2_000, cores: 64 },
])('$total connections are enough for the threads of $cores cores', ({ total, cores }) => {
  const given = { postgresPoolSize: total, postgresMaxOverflow: 0, readerThreads: Math.max(1, cores - 1) }
  const limits = { ...given, readerThreads: countSearchThreads(given) }
  expect(limits.readerThreads).toBeGreaterThanOrEqual(1)
  expect(connectionsOf('writer', limits)).toBeGreaterThanOrEqual(2)
  expect(countAll(limits)).toBeLessThanOrEqual(total)
})
