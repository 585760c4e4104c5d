/**
 * Counts what happened, and reports it in the background: at most once a minute, at most 100 different items. What cannot be delivered is
 * dropped. Nothing is counted, stored or sent unless telemetry is on and has a URL.
 */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { post } from '../lib/outgoing.ts'
import { type Moment, type Report, type ReportItem, toServerInfo } from './report.ts'
import { openUserId } from './user-id.ts'

export interface Telemetry {
  /** False: `note` does nothing. */
  isOn: boolean
  note(moment: Moment): void
  /** Reports what was counted, for a moment at most, and stops. */
  close(): Promise<void>
}

export const NO_TELEMETRY: Telemetry = { isOn: false, note: () => {}, close: async () => {} }

const ITEMS_MAX = 100
const PAUSE_MS = 60_000
const TIMEOUT_MS = 10_000
/** A server that stops waits this long at most. */
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
  /** Does not reject. */
  let sending = Promise.resolve()

  const send = async (limitMs: number) => {
    userId ??= openUserId(homePath)
    const report: Report = { ...toServerInfo(userId, config), reports: [...items.values()] }
    items = new Map()
    try {
      const headers = { 'content-type': 'application/json' }
      const request = { url, headers, body: JSON.stringify(report), timeoutMs: limitMs, excerptBytes: 0 }
      // The operator chose the address.
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
    note: moment => {
      if (isClosed) return
      add(items, moment)
      // A server that stops does not wait for the pause.
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
      // Nobody waits for an answer any more.
      stopping.abort()
    },
  }
}

/** Beyond the limit, only moments are counted that are in the list. */
function add(items: Map<string, ReportItem>, moment: Moment): void {
  const key = JSON.stringify({ ...moment, records: 0 })
  const item = items.get(key)
  if (!item) {
    if (items.size < ITEMS_MAX) items.set(key, { ...moment, count: 1 })
    return
  }
  item.count++
  if (item.event === 'bulk' && moment.event === 'bulk') item.records += moment.records
}
