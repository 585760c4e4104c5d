/**
 * Detects within ten seconds that PostgreSQL does not respond because of a dead network.
 *
 * A connection alone does not show this: a statement may take as long as SERVICE_DATABASE_POSTGRESQL_TIMEOUT, and the operating
 * system retransmits lost packets for minutes. If a statement has waited for `waitMs`, a probe opens a new connection and
 * requests one byte from PostgreSQL. If the byte does not arrive within `probeMs`, and nothing else has arrived either, all
 * waiting statements fail, and new ones fail too until a byte arrives.
 */
import { connect } from 'node:net'
import pg from 'pg'

export interface Liveness {
  /** Throws while PostgreSQL does not respond. */
  check(): void
  /**
   * Must be called before waiting for PostgreSQL. `onDead` is called if it does not respond. Returns a function that must be
   * called at the end of the wait.
   */
  wait(onDead: () => void): (isAnswered: boolean) => void
  close(): void
}

const LIMITS = {
  /** How long a response may take before PostgreSQL is probed, and the pause between two probes. */
  waitMs: 2_500,
  /** Timeout of a probe. Long enough for a busy machine, because PostgreSQL only starts a process for it. */
  probeMs: 5_000,
  lookMs: 500,
}

/** Uses the driver's wording for a lost connection, so that the error gets the same code (postgres-errors.ts). */
export const toNoResponseError = () => new Error('Connection terminated: PostgreSQL does not answer')

interface Wait {
  sinceMs: number
  onDead: () => void
}

export function openLiveness(url: string, { waitMs, probeMs, lookMs } = LIMITS): Liveness {
  const waits = new Set<Wait>()
  let isDead = false
  /** Time of the last response from PostgreSQL. */
  let aliveAtMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null
  let isProbing = false

  const probe = async () => {
    isProbing = true
    const startedAtMs = performance.now()
    const isAnswered = await isAnswering(url, probeMs)
    isProbing = false
    if (isAnswered) aliveAtMs = performance.now()
    isDead = aliveAtMs < startedAtMs
    if (isDead) for (const { sinceMs, onDead } of waits) if (sinceMs <= startedAtMs) onDead()
  }
  const look = () => {
    const before = performance.now() - waitMs
    const isLate = waits.values().some(({ sinceMs }) => sinceMs < before)
    if (!isProbing && (isDead || (isLate && aliveAtMs < before))) void probe()
    if (waits.size === 0 && !isDead && !isProbing) stop()
  }
  const start = () => {
    timer ??= setInterval(look, lookMs).unref()
  }
  const stop = () => {
    clearInterval(timer ?? undefined)
    timer = null
  }
  return {
    check: () => {
      if (isDead) throw toNoResponseError()
    },
    wait: onDead => {
      const wait = { sinceMs: performance.now(), onDead }
      waits.add(wait)
      start()
      return isAnswered => {
        waits.delete(wait)
        if (isAnswered) aliveAtMs = performance.now()
      }
    },
    close: stop,
  }
}

/**
 * Asks whether TLS is supported: PostgreSQL responds with `S` or `N` before authentication, so this does not count as one of its
 * connections.
 */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * Errors that show that the host is unreachable. Any other error is a kind of response, and is handled by the code that connects.
 */
const UNREACHABLE = /^E(TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN)$/

function isAnswering(url: string, probeMs: number): Promise<boolean> {
  const { host, port } = new pg.Client({ connectionString: url })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  // If this process was suspended, a response may be waiting to be read; `setImmediate` runs after it has been read.
  const timer = setTimeout(() => setImmediate(resolve, false), probeMs).unref()
  socket
    .unref()
    .once('connect', () => socket.write(SSL_REQUEST))
    .once('data', () => resolve(true))
    .once('error', (error: NodeJS.ErrnoException) => resolve(!UNREACHABLE.test(error.code ?? '')))
    .once('close', () => resolve(true))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}
