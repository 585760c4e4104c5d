/**
 * Counts events and reports them in the background: at most once a minute, at most 100 different items. Undelivered reports are
 * dropped. Nothing is counted, stored or sent unless telemetry is on and has a URL.
 */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { post } from '../lib/outgoing.ts'
import { type Report, type ReportItem, type TelemetryEvent, toServerInfo } from './report.ts'
import { loadUserId } from './user-id.ts'

export interface Telemetry {
  /** If false, `note` is a no-op. */
  isOn: boolean
  note(event: TelemetryEvent): void
  /** Sends a last report, with a short timeout, and stops. */
  close(): Promise<void>
}

export const NO_TELEMETRY: Telemetry = { isOn: false, note: () => {}, close: async () => {} }

const ITEMS_MAX = 100
const PAUSE_MS = 60_000
const TIMEOUT_MS = 10_000
/** Maximum delay of a server that is stopping. */
const CLOSE_TIMEOUT_MS = 2_000

type TelemetryConfig = Pick<Config, 'enableTelemetry' | 'telemetryUrl' | 'homePath' | 'firstOwner'>

interface Limits {
  pauseMs?: number
  timeoutMs?: number
  closeTimeoutMs?: number
}

export function openTelemetry(
  config: TelemetryConfig,
  log: Logger,
  { pauseMs = PAUSE_MS, timeoutMs = TIMEOUT_MS, closeTimeoutMs = CLOSE_TIMEOUT_MS }: Limits = {},
): Telemetry {
  const { enableTelemetry, telemetryUrl: url, homePath } = config
  if (!enableTelemetry || url === null) return NO_TELEMETRY
  let items = new Map<string, ReportItem>()
  let timer: NodeJS.Timeout | null = null
  let isClosed = false
  let userId: string | null = null
  const stopping = new AbortController()
  /** Never rejects. */
  let sending = Promise.resolve()

  const send = async (limitMs: number) => {
    userId ??= loadUserId(homePath)
    const report: Report = { ...toServerInfo(userId, config), reports: [...items.values()] }
    items = new Map()
    try {
      const headers = { 'content-type': 'application/json' }
      const request = { url, headers, body: JSON.stringify(report), timeoutMs: limitMs, excerptBytes: 0 }
      // Private addresses are allowed because the operator has configured the URL.
      const { status } = await post(request, { allowPrivate: true, signal: stopping.signal })
      if (status < 200 || status > 299) log.debug({ status }, 'telemetry report refused')
    } catch (error) {
      log.debug({ error: (error as Error).message }, 'telemetry report not delivered')
    }
  }
  const begin = (limitMs: number) => {
    sending = Promise.all([sending, send(limitMs)]).then(() => {})
  }
  const sendDue = () => {
    timer = null
    begin(timeoutMs)
  }
  return {
    isOn: true,
    note: event => {
      if (isClosed) return
      add(items, event)
      // The timer does not delay the exit of the process.
      timer ??= setTimeout(sendDue, pauseMs).unref()
    },
    close: async () => {
      isClosed = true
      if (timer) clearTimeout(timer)
      if (items.size > 0) begin(closeTimeoutMs)
      const limit = Promise.withResolvers<void>()
      const limitTimer = setTimeout(limit.resolve, closeTimeoutMs)
      await Promise.race([sending, limit.promise])
      clearTimeout(limitTimer)
      // Cancels requests that are still pending after the timeout.
      stopping.abort()
    },
  }
}

/** Once the list is full, counts only events that are already in it. */
function add(items: Map<string, ReportItem>, event: TelemetryEvent): void {
  const key = JSON.stringify({ ...event, records: 0 })
  const item = items.get(key)
  if (!item) {
    if (items.size < ITEMS_MAX) items.set(key, { ...event, count: 1 })
    return
  }
  item.count++
  if (item.event === 'bulk' && event.event === 'bulk') item.records += event.records
}
