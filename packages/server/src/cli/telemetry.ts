import { readConfig } from '../config.ts'
import { toTelemetryEvent } from '../telemetry/events.ts'
import { type Report, type TelemetryEvent, toServerInfo } from '../telemetry/report.ts'
import { findUserId } from '../telemetry/user-id.ts'

const NOT_MADE = 'a random UUID, made when the first report is sent'

const HEADERS = { 'user-agent': 'python-httpx/0.28.1', 'accept-language': 'en-US,en;q=0.9' }

/** One example of each kind of item, created like the server does. */
const EXAMPLES = [
  toTelemetryEvent({ id: 'getMe', tag: 'users' }, HEADERS, { status: 200 }),
  toTelemetryEvent({ id: 'createUser', tag: 'users' }, HEADERS, { status: 201 }),
  toTelemetryEvent({ id: 'createRecordsBulk', tag: 'records' }, HEADERS, { status: 201, records: 500 }),
  toTelemetryEvent({ id: 'getDataset', tag: 'datasets' }, HEADERS, { status: 404, code: 'not_found' }),
].filter((event): event is TelemetryEvent => event !== null)

/** Prints the content of this server's telemetry report, and whether and where it is sent. Sends nothing. */
export async function showTelemetry(): Promise<number> {
  const config = readConfig()
  const info = toServerInfo(findUserId(config.homePath) ?? NOT_MADE, config)
  const report: Report = { ...info, reports: EXAMPLES.map(event => ({ ...event, count: 1 })) }
  const lines = [
    whereSent(config),
    '',
    'A report holds these keys and no others. Values of this server; an example of each kind of item:',
    '',
    JSON.stringify(report, null, 2),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

function whereSent({ enableTelemetry, telemetryUrl }: ReturnType<typeof readConfig>): string {
  const off = 'To switch telemetry off for good, set SERVICE_ENABLE_TELEMETRY=0.'
  if (!enableTelemetry) {
    return 'Nothing is sent: telemetry is off (SERVICE_ENABLE_TELEMETRY, HF_HUB_DISABLE_TELEMETRY or HF_HUB_OFFLINE).'
  }
  if (telemetryUrl === null) return `Nothing is sent: SERVICE_TELEMETRY_URL names no endpoint. ${off}`
  return `Reports are sent to ${withoutSecrets(telemetryUrl)}, at most one a minute. ${off}`
}

/** Removes passwords and keys from a URL before it is printed. */
function withoutSecrets(given: string): string {
  const url = new URL(given)
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`
}
