import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Collector, openCollector, type RequestHandler } from '../testing/collector.ts'
import type { Report, TelemetryEvent } from './report.ts'
import { NO_TELEMETRY, openTelemetry, type Telemetry } from './telemetry.ts'

const lines: string[] = []
const LOG = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
const FROM = { user_agent: 'curl/8', accept_language: null }
const ME: TelemetryEvent = { event: 'me', ...FROM }
const bulk = (records: number): TelemetryEvent => ({ event: 'bulk', task: 'feedback', records, ...FROM })
const failure = (code: string): TelemetryEvent => ({ event: 'error', code, entity: 'datasets', ...FROM })

/** Shorter than the default, so that several reports are sent. */
const PAUSE_MS = 20
const NEVER_MS = 3_600_000
/** Longer than the defaults, so that tests do not fail on a slow machine. */
const LIMITS = { timeoutMs: 5_000, closeTimeoutMs: 30_000 }

let home: string
let collector: Collector
let telemetry: Telemetry
beforeEach(async () => {
  lines.length = 0
  home = mkdtempSync(join(tmpdir(), 'postil-telemetry-'))
})
afterEach(async () => {
  // Closed first, so that `telemetry.close` does not wait for pending requests.
  await collector.close()
  await telemetry.close()
  rmSync(home, { recursive: true, force: true })
})

async function open(pauseMs: number, answering?: RequestHandler, limits: { closeTimeoutMs?: number } = {}): Promise<void> {
  collector = await openCollector(answering)
  telemetry = openTelemetry(config(), LOG, { ...LIMITS, pauseMs, ...limits })
}
const config = (given: { enableTelemetry?: boolean; telemetryUrl?: string | null } = {}) => ({
  enableTelemetry: true,
  telemetryUrl: collector.url,
  homePath: home,
  firstOwner: null,
  ...given,
})
const reports = () => collector.received.map(({ body }) => JSON.parse(body) as Report)
const items = () => reports().map(report => report.reports)
const userIdFile = () => join(home, 'telemetry-id')

test('events that are equal are counted, and records added up', async () => {
  await open(NEVER_MS)
  for (const event of [ME, bulk(3), ME, bulk(4), failure('not_found'), failure('conflict')]) telemetry.note(event)
  await telemetry.close()
  expect(items()).toEqual([
    [
      { ...ME, count: 2 },
      { ...bulk(7), count: 2 },
      { ...failure('not_found'), count: 1 },
      { ...failure('conflict'), count: 1 },
    ],
  ])
})

test('of a hundred different ones the rest is left out', async () => {
  await open(NEVER_MS)
  for (let i = 0; i < 300; i++) telemetry.note(failure(`code-${i % 150}`))
  await telemetry.close()
  expect(items()).toEqual([Array.from({ length: 100 }, (_, i) => ({ ...failure(`code-${i}`), count: 2 }))])
})

test('what happened in one pause is one report, and nothing is sent when nothing happened', async () => {
  await open(PAUSE_MS)
  telemetry.note(ME)
  telemetry.note(ME)
  await expect.poll(items).toEqual([[{ ...ME, count: 2 }]])
  telemetry.note(bulk(1))
  await expect.poll(items).toEqual([[{ ...ME, count: 2 }], [{ ...bulk(1), count: 1 }]])
  await telemetry.close()
  telemetry.note(ME)
  await telemetry.close()
  expect(items()).toHaveLength(2)
})

describe('a collector that', () => {
  const WAYS: Record<string, RequestHandler> = {
    fails: (_request, response) => void response.writeHead(500).end('no'),
    redirects: (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    'closes the connection': request => void request.socket.destroy(),
    'never answers': () => {},
    'answers without end': (_request, response) => void response.writeHead(200).write('x'),
  }
  test.each(Object.keys(WAYS))('%s gets each report once, and the next one', async way => {
    await open(PAUSE_MS, WAYS[way])
    telemetry.note(ME)
    await expect.poll(items).toEqual([[{ ...ME, count: 1 }]])
    telemetry.note(bulk(1))
    await expect.poll(items).toEqual([[{ ...ME, count: 1 }], [{ ...bulk(1), count: 1 }]])
    telemetry.note(bulk(2))
    await expect.poll(() => items().slice(2)).toEqual([[{ ...bulk(2), count: 1 }]])
    expect(collector.received.map(({ url }) => url)).toEqual(['/', '/', '/'])
  })

  test('is down leaves a line for debugging, and nothing else', async () => {
    const down = await openCollector()
    await down.close()
    await open(NEVER_MS)
    const unheard = openTelemetry(config({ telemetryUrl: `${down.url}/?key=secret` }), LOG, { ...LIMITS, pauseMs: PAUSE_MS })
    unheard.note(ME)
    await expect.poll(() => lines.length).toBe(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 20, msg: 'telemetry report not delivered' })
    expect(lines[0]).not.toContain('secret')
    await unheard.close()
  })

  test('never answers does not keep a server that stops', async () => {
    await open(PAUSE_MS, WAYS['never answers'], { closeTimeoutMs: 10 })
    telemetry.note(ME)
    await expect.poll(() => collector.received.length).toBe(1)
    // Closes before the request times out, because the timeout would be logged.
    await telemetry.close()
    expect(lines).toEqual([])
  })
})

describe('the id of the server', () => {
  test('is random, kept for the user of the server alone, and the same in every report', async () => {
    await open(NEVER_MS)
    telemetry.note(ME)
    await telemetry.close()
    const again = openTelemetry(config(), LOG, { ...LIMITS, pauseMs: NEVER_MS })
    again.note(ME)
    await again.close()
    const [first, second] = reports().map(report => report.user_id)
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(second).toBe(first)
    expect(readFileSync(userIdFile(), 'utf8')).toBe(`${first}\n`)
    expect(statSync(userIdFile()).mode & 0o777).toBe(0o600)
    expect(readdirSync(home)).toEqual(['telemetry-id'])
  })

  test.each(['', 'anna', '../../etc/passwd'])('is made anew if its file holds %j', async content => {
    await open(NEVER_MS)
    writeFileSync(userIdFile(), content)
    telemetry.note(ME)
    await telemetry.close()
    expect(reports()[0]?.user_id).toBe(readFileSync(userIdFile(), 'utf8').trim())
    expect(reports()[0]?.user_id).toHaveLength(36)
  })

  test('is another in every process if it cannot be kept', async () => {
    await open(NEVER_MS)
    rmSync(home, { recursive: true })
    telemetry.note(ME)
    await telemetry.close()
    expect(reports()[0]?.user_id).toHaveLength(36)
  })
})

test.each([{ enableTelemetry: false }, { telemetryUrl: null }])('with %j nothing is counted, kept or sent', async given => {
  await open(NEVER_MS)
  const off = openTelemetry(config(given), LOG, { pauseMs: PAUSE_MS })
  expect(off).toBe(NO_TELEMETRY)
  off.note(ME)
  await off.close()
  expect([collector.connections(), readdirSync(home)]).toEqual([0, []])
})
