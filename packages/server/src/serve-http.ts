/** Starts all parts of the server in order; `close` stops them in reverse order without losing data. */
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CONTRACTS } from '@postil/domain/api/all'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { ROUTES } from './features/all.ts'
import { openSignInLog } from './features/audit-log/sign-in-log.ts'
import { createAdmit } from './http/admit.ts'
import { buildApp } from './http/app.ts'
import { createRunCall } from './http/run-call.ts'
import { createStoreSignIns } from './http/store-sign-ins.ts'
import type { Secrets } from './lib/secrets.ts'
import { openMetrics } from './metrics/metrics.ts'
import { openScrape } from './metrics/scrape.ts'
import { openContext } from './open-context.ts'
import { openAttemptsOf, openBusOf } from './processes/open-processes.ts'
import { openTelemetry } from './telemetry/telemetry.ts'
import { openHasher } from './threads/hasher.ts'
import { openPool } from './threads/pool.ts'
import type { ThreadDied } from './threads/thread.ts'

/** How long running requests may take after the server begins to stop. */
const CLOSE_GRACE_MS = 5_000

export interface RunningServer {
  url: string
  ctx: Context
  /** Finishes running requests, then stops. `atOnce` skips the configured delay. */
  close(how?: { atOnce?: boolean }): Promise<void>
}

export async function serveHttp(config: Config, secrets: Secrets, onFailure: (error: Error) => void): Promise<RunningServer> {
  const opened = openContext({ config, secrets, user: 'main', readonly: true, cacheMb: 4 })
  const bus = openBusOf(config, 'server', opened.log)
  const attempts = openAttemptsOf(config, bus, opened.log)
  const hasher = openHasher(onFailure)
  const signIns = openSignInLog({ ctx: opened, store: entries => createStoreSignIns(pool.dispatch)(entries) })
  const hashing = { ...opened, passwords: hasher, attempts, signIns }
  const onThreadFailure = (error: ThreadDied) => {
    opened.readiness.noteEndedThread()
    opened.log.fatal({ err: error.cause, thread: error.role }, 'a thread ended')
    onFailure(error)
  }
  const metrics = config.metricsEnabled ? openMetrics(config) : undefined
  const pool = openPool(hashing, createRunCall(ROUTES), { onFailure: onThreadFailure, bus, metrics })
  const ctx = { ...hashing, live: pool.live }
  const telemetry = openTelemetry(config, opened.log)
  const { dispatch, lanes } = pool
  const scrape = metrics && openScrape({ metrics, dispatch, lanes, log: opened.log })
  const served = scrape ? { metrics, scrape, token: config.metricsToken } : null
  const app = buildApp(ctx, CONTRACTS, dispatch, { admit: createAdmit(ROUTES), telemetry, metrics: served })
  const close = async ({ atOnce = false } = {}) => {
    opened.readiness.stop()
    // Gives load balancers time to notice.
    if (!atOnce) await pause(config.stopDelaySeconds * 1_000)
    // Running requests may finish, but a client that never finishes its request must not delay the stop.
    const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS)
    // Otherwise delayed password attempts would wait until the end of the grace period.
    const isRefused = ctx.attempts.close()
    await app.close()
    await isRefused
    clearTimeout(timer)
    scrape?.close()
    await telemetry.close()
    await hasher.close()
    await signIns.close()
    await pool.closeReaders()
    await ctx.search.close()
    await ctx.db.close()
    await pool.closeWriter()
    await bus.close()
  }
  try {
    // Accepted connections could use up the file descriptors that threads need to open the database.
    await Promise.all([pool.ready, bus.ready])
    await app.listen({ host: config.host, port: config.port })
    // Does not delay the start; the first sign-in waits a moment longer.
    hasher.start()
  } catch (error) {
    // Running threads would keep the process alive.
    await close({ atOnce: true })
    throw error
  }
  return { url: urlOf(app.server.address() as AddressInfo, config), ctx, close }
}

function urlOf({ address, port, family }: AddressInfo, config: Config): string {
  const host = ['0.0.0.0', '::'].includes(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}${config.baseUrl}`
}
