/** Everything of a running server, in the order it is opened; `close` goes the other way and loses nothing. */
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CONTRACTS } from '@postil/domain/api/all'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { ROUTES } from './features/all.ts'
import { openSignInLog } from './features/audit-log/sign-in-log.ts'
import { openAdmit } from './http/admit.ts'
import { buildApp } from './http/app.ts'
import { openRunCall } from './http/run-call.ts'
import { openStoreSignIns } from './http/store-sign-ins.ts'
import type { Secrets } from './lib/secrets.ts'
import { openMetrics } from './metrics/metrics.ts'
import { openScrape } from './metrics/scrape.ts'
import { openContext } from './open-context.ts'
import { openAttemptsOf, openBusOf } from './processes/open-processes.ts'
import { openTelemetry } from './telemetry/telemetry.ts'
import { openHasher } from './threads/hasher.ts'
import { openPool } from './threads/pool.ts'
import type { ThreadDied } from './threads/thread.ts'

/** How long running requests may take once the server is told to stop. */
const CLOSE_GRACE_MS = 5_000

export interface RunningServer {
  url: string
  ctx: Context
  /** Finishes what is running, then stops. `atOnce`: without the delay that the settings name. */
  close(how?: { atOnce?: boolean }): Promise<void>
}

export async function serveHttp(config: Config, secrets: Secrets, onFailure: (error: Error) => void): Promise<RunningServer> {
  const opened = openContext({ config, secrets, user: 'main', readonly: true, cacheMb: 4 })
  const bus = openBusOf(config, 'server', opened.log)
  const attempts = openAttemptsOf(config, bus, opened.log)
  const hasher = openHasher(onFailure)
  const signIns = openSignInLog({ ctx: opened, store: entries => openStoreSignIns(pool.dispatch)(entries) })
  const hashing = { ...opened, passwords: hasher, attempts, signIns }
  const onThreadFailure = (error: ThreadDied) => {
    opened.readiness.noteEndedThread()
    opened.log.fatal({ err: error.cause, thread: error.role }, 'a thread ended')
    onFailure(error)
  }
  const metrics = config.metricsEnabled ? openMetrics(config) : undefined
  const pool = openPool(hashing, openRunCall(ROUTES), { onFailure: onThreadFailure, bus, metrics })
  const ctx = { ...hashing, live: pool.live }
  const telemetry = openTelemetry(config, opened.log)
  const { dispatch, lanes } = pool
  const scrape = metrics && openScrape({ metrics, dispatch, lanes, log: opened.log })
  const served = scrape ? { metrics, scrape, token: config.metricsToken } : null
  const app = buildApp(ctx, CONTRACTS, dispatch, { admit: openAdmit(ROUTES), telemetry, metrics: served })
  const close = async ({ atOnce = false } = {}) => {
    opened.readiness.stop()
    // Balancers need a moment to notice.
    if (!atOnce) await pause(config.stopDelaySeconds * 1_000)
    // What runs may finish; a client that never finishes its request keeps nobody.
    const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS)
    // Who is being held would be held to the end of that time.
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
    // Connections could take the descriptors that threads still need to open the database.
    await Promise.all([pool.ready, bus.ready])
    await app.listen({ host: config.host, port: config.port })
    // A start need not wait for it: somebody who signs in at once waits a moment longer.
    hasher.start()
  } catch (error) {
    // Threads that run would keep the process alive.
    await close({ atOnce: true })
    throw error
  }
  return { url: urlOf(app.server.address() as AddressInfo, config), ctx, close }
}

function urlOf({ address, port, family }: AddressInfo, config: Config): string {
  const host = ['0.0.0.0', '::'].includes(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}${config.baseUrl}`
}
