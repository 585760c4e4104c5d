/**
 * `npm run bench:ui`: what a person at the annotation page waits for, beside the budgets of the product. Medians of 20 or more;
 * on this machine, at a distance of 80 and 500 ms, and with the scripts four times slower.
 *
 *   npm run bench:ui -- --json figures.json
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { buildWeb } from '../../scripts/build-web.ts'
import { prepareChromium } from '../../scripts/chromium.ts'
import { closeBrowser, openBrowser } from '../e2e/browser.ts'
import { label, openWorld, seed, texts, type World } from '../e2e/seed.ts'
import { openDelayProxy } from './delay-proxy.ts'
import { firstRecordAt, probeScript, quantile, takeKeys, takeSteps } from './ui-probe.ts'

const STEPS = 25
const LOADS = 5
const WORDS = 'the parcel stood in the rain outside the shop and nobody answered my letter about it'.split(' ')
const sentence = (i: number) => Array.from({ length: 40 }, (_, at) => WORDS[(i * 7 + at * 3) % WORDS.length]).join(' ')

export interface Figure {
  what: string
  setting: string
  value: number
  unit: 'ms' | 'KB' | 'MB' | 'requests' | 'hosts'
  budget: number | null
}
const figures: Figure[] = []
const note = (what: string, setting: string, value: number, unit: Figure['unit'], budget: number | null = null) =>
  figures.push({ what, setting, value, unit, budget })

interface Setting {
  name: string
  roundTripMs: number
  slowdown: number
}
const SETTINGS: Setting[] = [
  { name: 'local', roundTripMs: 0, slowdown: 1 },
  { name: '80 ms', roundTripMs: 80, slowdown: 1 },
  { name: '500 ms', roundTripMs: 500, slowdown: 1 },
  { name: '80 ms, CPU ÷ 4', roundTripMs: 80, slowdown: 4 },
]

async function openPage(context: BrowserContext, slowdown: number): Promise<{ page: Page; session: CDPSession }> {
  const page = await context.newPage()
  await page.addInitScript(probeScript)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  return { page, session }
}

async function signedIn(url: string, world: World): Promise<BrowserContext> {
  const context = await (await openBrowser()).newContext({
    baseURL: `${url}/`,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
  })
  const { username, password } = world.annotator
  await context.request.post('api/v1/session', { data: { username, password } })
  return context
}

const isReady = (page: Page) => page.locator('[data-testid=record]:not([hidden])').waitFor()

async function measureSteps({ name, roundTripMs, slowdown }: Setting, world: World): Promise<void> {
  const datasetId = await seed(world, {
    name: `steps-${name}`,
    questions: [
      label('answer', ['yes', 'no', 'maybe']),
      { name: 'note', title: 'Note', required: false, settings: { type: 'text', use_markdown: false } },
    ],
    records: texts(200, sentence),
  })
  const proxy = await openDelayProxy(world.server.url, roundTripMs)
  const context = await signedIn(proxy.url, world)
  const { page } = await openPage(context, slowdown)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await isReady(page)
  await page.waitForTimeout(1_000 + roundTripMs * 4)
  for (let i = 0; i < STEPS; i++) {
    await page.keyboard.press('ArrowRight')
    await page.waitForTimeout(150)
  }
  const arrows = await takeSteps(page)
  note('→ to the next record, median', name, quantile(arrows, 0.5), 'ms', slowdown === 1 ? 35 : null)
  note('→ to the next record, p95', name, quantile(arrows, 0.95), 'ms', slowdown === 1 ? 60 : null)
  await takeKeys(page)
  for (let i = 0; i < STEPS; i++) {
    await page.keyboard.press(String((i % 3) + 1))
    await page.waitForTimeout(100)
    await page.keyboard.press('Control+Enter')
    await page.waitForTimeout(150)
  }
  const [submits, keys] = [await takeSteps(page), await takeKeys(page)]
  note('submit to the next record, median', name, quantile(submits, 0.5), 'ms', slowdown === 1 ? 50 : null)
  note('submit to the next record, p95', name, quantile(submits, 0.95), 'ms', slowdown === 1 ? 80 : null)
  note('key to a change in the form, median', name, quantile(keys, 0.5), 'ms', slowdown === 1 ? 16 : null)
  note('key to a change in the form, p95', name, quantile(keys, 0.95), 'ms', slowdown === 1 ? 33 : null)
  await context.close()
  await proxy.close()
}

async function measureLoads({ name, roundTripMs, slowdown }: Setting, world: World, datasetId: string): Promise<void> {
  const proxy = await openDelayProxy(world.server.url, roundTripMs)
  const cold: number[] = []
  const warm: number[] = []
  const paints: number[] = []
  for (let i = 0; i < LOADS; i++) {
    const context = await signedIn(proxy.url, world)
    const { page } = await openPage(context, slowdown)
    const load = async () => {
      await page.goto(`dataset/${datasetId}/annotation-mode`, { waitUntil: 'commit' })
      await isReady(page)
      return firstRecordAt(page)
    }
    cold.push(await load())
    paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN))
    // Until the worker has kept the application.
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.waitForTimeout(1_500)
    warm.push(await load())
    await context.close()
  }
  const isHard = name === '80 ms, CPU ÷ 4'
  note('cold load to the first record, median', name, quantile(cold, 0.5), 'ms', isHard ? 1_000 : null)
  note('first paint, cold, median', name, quantile(paints, 0.5), 'ms', isHard ? 600 : null)
  note('warm load to the first record, median', name, quantile(warm, 0.5), 'ms', name === 'local' ? 300 : null)
  await proxy.close()
}

async function measureWeight(world: World, datasetId: string): Promise<void> {
  const context = await signedIn(world.server.url, world)
  const { page, session } = await openPage(context, 1)
  await session.send('Network.enable')
  const kinds = new Map<string, { url: string; isScript: boolean }>()
  const weights = { script: 0, calls: 0 }
  const hosts = new Set<string>()
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    kinds.set(requestId, { url: request.url, isScript: type === 'Script' })
    const { protocol, host, pathname } = new URL(request.url)
    if (!['data:', 'blob:'].includes(protocol)) hosts.add(host)
    if (pathname.includes('/api/v1/') && !pathname.endsWith('/events') && !pathname.endsWith('/notes')) weights.calls++
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (kinds.get(requestId)?.isScript) weights.script += encodedDataLength
  })
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await isReady(page)
  const calls = weights.calls
  await page.waitForTimeout(1_500)
  note('script for the annotation page, compressed', 'local', weights.script / 1024, 'KB', 150)
  note('API requests before the first record', 'local', calls, 'requests', 3)
  note('other hosts contacted', 'local', hosts.size - 1, 'hosts', 0)
  await context.close()
}

async function measureMemory(world: World): Promise<void> {
  const datasetId = await seed(world, {
    name: 'memory',
    questions: [label('answer', ['yes', 'no', 'maybe'])],
    records: texts(520, sentence),
  })
  const context = await signedIn(world.server.url, world)
  const { page, session } = await openPage(context, 1)
  let writes = 0
  page.on('request', request => {
    if (request.method() !== 'GET') writes++
  })
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await isReady(page)
  const heapMb = async () => {
    await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize / 1_048_576
  }
  let at300 = 0
  for (let i = 0; i < 500; i++) {
    await page.keyboard.press('1')
    await page.waitForTimeout(20)
    if (i === 299) at300 = await heapMb()
  }
  await page.waitForTimeout(2_000)
  const at500 = await heapMb()
  note('heap after 500 submits', 'local', at500, 'MB', 100)
  note('heap growth over the last 200', 'local', Math.max(0, at500 - at300), 'MB', 1)
  note('write requests per submit', 'local', writes / 500, 'requests', 1)
  await context.close()
}

async function measureBulk(world: World, datasetId: string): Promise<void> {
  const context = await signedIn(world.server.url, world)
  const { page } = await openPage(context, 1)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await isReady(page)
  const times: number[] = []
  for (let i = 0; i < LOADS; i++) {
    const started = performance.now()
    await page.goto(`dataset/${datasetId}/annotation-mode?page=1~100`, { waitUntil: 'commit' })
    await page.getByTestId('select-all').waitFor()
    await page.getByTestId('record').nth(5).waitFor()
    times.push(performance.now() - started)
  }
  note('bulk view with 100 cards, page load included, median', 'local', quantile(times, 0.5), 'ms', 500)
  await context.close()
}

function print(): void {
  const rows = figures.map(({ what, setting, value, unit, budget }) => {
    const verdict = budget === null ? '' : value <= budget ? 'met' : 'MISSED'
    return [what, setting, `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`, budget === null ? '' : `${budget} ${unit}`, verdict]
  })
  const head = ['what', 'setting', 'reached', 'budget', '']
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map(row => row[at]?.length ?? 0)))
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'string' } } })
  const chromium = await prepareChromium(fileURLToPath(new URL('../..', import.meta.url)))
  if ('reason' in chromium) throw new Error(chromium.reason)
  process.env.POSTIL_TEST_CHROMIUM = chromium.path
  await buildWeb()
  const world = await openWorld()
  try {
    const datasetId = await seed(world, {
      name: 'loads',
      questions: [label('answer', ['yes', 'no'])],
      records: texts(200, sentence),
    })
    for (const setting of SETTINGS) await measureSteps(setting, world)
    for (const setting of SETTINGS) if (setting.roundTripMs < 500) await measureLoads(setting, world, datasetId)
    await measureWeight(world, datasetId)
    await measureMemory(world)
    await measureBulk(world, datasetId)
    print()
    if (values.json) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`)
  } finally {
    await closeBrowser()
    await world.close()
  }
}

await main()
