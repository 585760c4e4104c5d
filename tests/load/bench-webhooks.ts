/**
 * `npm run bench:webhooks`: what webhooks cost those who write.
 *
 * Measures ingest and submits on fresh servers, by turns without webhooks and with ten of them on all events, whose target accepts
 * connections and never answers; it begins when all of them hang. The processor time of the server for each record or submit is
 * shown besides (Linux only): it changes less than speed when other programs run.
 * Options: `--records 20000`, `--submits 1000`, `--rounds 5`, `--json <file>`.
 */
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { EVENTS } from '@postil/domain/events'
import { type StartedServer, startServer } from '../server.ts'
import { createMeasuredDataset, ingest, listRecordIds } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, measure, type Send } from './measure.ts'
import { processorMs } from './processor.ts'
import { printRows } from './report.ts'

/** With webhooks, at least this share of the speed without. */
const RATIO_MIN = 0.9
const WARMUP = 50
/** As many as there can be. */
const WEBHOOKS = 10
const STEPS = ['ingest, records', 'submits, 1 client', 'submits, 8 clients'] as const

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    submits: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
})
const [records, submits, rounds] = [options.records, options.submits, options.rounds].map(Number) as [number, number, number]
const NEEDED = 2 * (submits + WARMUP)
if (!(records >= NEEDED)) throw new Error(`--records must be at least ${NEEDED}: each submit is for a record of its own`)

interface Figure {
  per_second: number
  /** Of the server, for one record or submit; with everything that it does in the background meanwhile. */
  cpu_ms: number
}

type Figures = Record<(typeof STEPS)[number], Figure>

interface Result {
  step: string
  without: Figure
  with: Figure
  /** Median over the rounds of (with / without in the same round). */
  ratio: Figure
}

const silent = await listenSilently()
try {
  const pairs: { without: Figures; with: Figures }[] = []
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds} …\n`)
    // The order changes with each round: what goes before must not help one of them.
    const order = round % 2 === 0 ? [false, true] : [true, false]
    const measured = new Map<boolean, Figures>()
    for (const hasWebhooks of order) measured.set(hasWebhooks, await measureServer(hasWebhooks))
    pairs.push({ without: measured.get(false) as Figures, with: measured.get(true) as Figures })
  }
  const results = STEPS.map(step => toResult(step, pairs))
  print(results)
  const machine = { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version }
  const figures = JSON.stringify({ machine, records, submits, rounds, results, pairs })
  process.stdout.write(`\n${figures}\n`)
  if (options.json !== undefined) writeFileSync(options.json, figures)
} finally {
  silent.close()
}

/** Accepts connections, reads, and never answers. */
async function listenSilently(): Promise<{ url: string; connections(): number; close(): void }> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer(socket => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.resume()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, connections: () => connections, close }
}

async function measureServer(hasWebhooks: boolean): Promise<Figures> {
  const server = await startServer({ env: { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' } })
  try {
    const dataset = await createMeasuredDataset(server)
    const before = silent.connections()
    if (hasWebhooks) await createWebhooks(server)
    await touch(server, dataset.id)
    // From here on every target hangs, and the thread that sends has started: that happens once, not with every write.
    while (hasWebhooks && silent.connections() < before + WEBHOOKS) await delay(20)
    const filled = await withCpu(server, records, () => ingest(server, dataset, 0, records, 2))
    const ids = await listRecordIds(server, dataset.id, NEEDED)
    const body = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })
    const submit: Send = connection => connection.send('POST', `/api/v1/records/${ids.pop()}/responses`, body)
    const submitWith = (concurrency: number) =>
      withCpu(server, submits + WARMUP, () => measure(server, { requests: submits, warmup: WARMUP, concurrency }, submit))
    const one = await submitWith(1)
    const eight = await submitWith(8)
    return { 'ingest, records': filled, 'submits, 1 client': one, 'submits, 8 clients': eight }
  } finally {
    await server.close()
  }
}

async function withCpu(server: StartedServer, count: number, work: () => Promise<{ per_second: number }>): Promise<Figure> {
  const before = processorMs(server.pid)
  const { per_second } = await work()
  return { per_second, cpu_ms: (processorMs(server.pid) - before) / count }
}

async function createWebhooks(server: StartedServer): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  for (let number = 1; number <= WEBHOOKS; number++) {
    const body = { url: `${silent.url}${number}`, events: Object.keys(EVENTS) }
    check(await connection.send('POST', '/api/v1/webhooks', JSON.stringify(body)))
  }
  connection.close()
}

/** An event that is not measured. */
async function touch(server: StartedServer, datasetId: string): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  check(await connection.send('PATCH', `/api/v1/datasets/${datasetId}`, JSON.stringify({ guidelines: 'Choose a topic.' })))
  connection.close()
}

function toResult(step: keyof Figures, pairs: readonly { without: Figures; with: Figures }[]): Result {
  const medians = (of: (pair: (typeof pairs)[number], key: keyof Figure) => number): Figure => ({
    per_second: median(pairs.map(pair => of(pair, 'per_second'))),
    cpu_ms: median(pairs.map(pair => of(pair, 'cpu_ms'))),
  })
  return {
    step,
    without: medians((pair, key) => pair.without[step][key]),
    with: medians((pair, key) => pair.with[step][key]),
    ratio: medians((pair, key) => pair.with[step][key] / pair.without[step][key]),
  }
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)]
  return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2
}

function print(results: readonly Result[]): void {
  const head = ['step', 'without', `with ${WEBHOOKS}`, 'ratio', 'wanted', '', 'CPU without', 'CPU with', 'ratio']
  const rows = results.map(({ step, without, with: loaded, ratio }) => [
    step,
    `${without.per_second.toFixed(0)}/s`,
    `${loaded.per_second.toFixed(0)}/s`,
    ratio.per_second.toFixed(2),
    `${RATIO_MIN.toFixed(2)} or more`,
    ratio.per_second >= RATIO_MIN ? '' : 'missed',
    `${without.cpu_ms.toFixed(2)} ms`,
    `${loaded.cpu_ms.toFixed(2)} ms`,
    ratio.cpu_ms.toFixed(2),
  ])
  printRows([head, ...rows])
}
