/**
 * `npm run bench:ui`: waiting times on the annotation page, compared with the budgets of the product. Medians of 20 or more; on
 * this machine, with round trips of 80 and 500 ms, and with the CPU four times slower.
 *
 *   npm run bench:ui -- --json figures.json --only steps,loads
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildWeb } from '../../scripts/build-web.ts'
import { prepareChromium } from '../../scripts/chromium.ts'
import { closeBrowser } from '../e2e/browser.ts'
import { label, openWorld, seed, texts, type World } from '../e2e/seed.ts'
import { openDelayProxy } from './delay-proxy.ts'
import { figures, note, print } from './ui-figures.ts'
import { measureBulk, measureChats, measureManyLabels, measureManySpans } from './ui-heavy.ts'
import { isReady, openPage, signedIn } from './ui-pages.ts'
import { firstPaint, quantile, takeKeys, takeSteps, type Visit, visit } from './ui-probe.ts'

const STEPS = 25
const LOADS = 20
const WORDS = 'the parcel stood in the rain outside the shop and nobody answered my letter about it'.split(' ')
const sentence = (i: number) => Array.from({ length: 40 }, (_, at) => WORDS[(i * 7 + at * 3) % WORDS.length]).join(' ')

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

/**
 * First visit; with the files cached by the service worker; and with the compiled code cached by the browser, like every later
 * visit.
 */
const VISITS = ['cold', 'second visit', 'third visit'] as const
type Kind = (typeof VISITS)[number]
const VISIT_BUDGETS: Record<string, Partial<Record<Kind, number>>> = {
  local: { 'second visit': 300, 'third visit': 300 },
  '80 ms': { 'second visit': 300 },
  '80 ms, CPU ÷ 4': { cold: 1_000 },
}

async function measureLoads({ name, roundTripMs, slowdown }: Setting, world: World, datasetId: string): Promise<void> {
  const proxy = await openDelayProxy(world.server.url, roundTripMs)
  const times: Record<Kind, Visit[]> = { cold: [], 'second visit': [], 'third visit': [] }
  const paints: number[] = []
  for (let i = 0; i < LOADS; i++) {
    const context = await signedIn(proxy.url, world)
    const { page } = await openPage(context, slowdown)
    for (const kind of VISITS) {
      times[kind].push(await visit(page, `dataset/${datasetId}/annotation-mode`))
      if (kind === 'cold') paints.push(await firstPaint(page))
      // Waits until the service worker has cached the application.
      await page.evaluate(() => navigator.serviceWorker.ready)
      await page.waitForTimeout(1_500)
    }
    await context.close()
  }
  const budgets = VISIT_BUDGETS[name] ?? {}
  for (const kind of VISITS) {
    const medianOf = (what: keyof Visit) =>
      quantile(
        times[kind].map(one => one[what]),
        0.5,
      )
    note(`${kind} to the first record, median`, name, medianOf('shown'), 'ms', budgets[kind] ?? null)
    note(`${kind} until it can be answered, median`, name, medianOf('ready'), 'ms')
  }
  note('first paint, cold, median', name, quantile(paints, 0.5), 'ms', budgets.cold === undefined ? null : 600)
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
    // A search uses POST but does not write.
    if (request.method() !== 'GET' && !request.url().includes('/records/search')) writes++
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

const PARTS: Record<string, (world: World, datasetId: string) => Promise<void>> = {
  steps: async world => {
    for (const setting of SETTINGS) await measureSteps(setting, world)
  },
  loads: async (world, datasetId) => {
    for (const setting of SETTINGS) if (setting.roundTripMs < 500) await measureLoads(setting, world, datasetId)
  },
  weight: measureWeight,
  memory: measureMemory,
  labels: measureManyLabels,
  spans: measureManySpans,
  chats: measureChats,
  bulk: measureBulk,
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } })
  const only = values.only?.split(',') ?? Object.keys(PARTS)
  const unknown = only.filter(name => !(name in PARTS))
  if (unknown.length > 0) throw new Error(`No part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`)
  const chromium = await prepareChromium(fileURLToPath(new URL('../..', import.meta.url)))
  if ('reason' in chromium) throw new Error(chromium.reason)
  process.env.POSTIL_TEST_CHROMIUM = chromium.path
  await buildWeb()
  const world = await openWorld({ SERVICE_LABEL_SELECTION_OPTIONS_MAX_ITEMS: '1000' })
  try {
    const datasetId = await seed(world, {
      name: 'loads',
      questions: [label('answer', ['yes', 'no'])],
      records: texts(200, sentence),
    })
    for (const name of only) await PARTS[name]?.(world, datasetId)
    print()
    if (values.json) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`)
  } finally {
    await closeBrowser()
    await world.close()
  }
}

await main()
