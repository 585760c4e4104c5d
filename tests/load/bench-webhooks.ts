/**
 * `npm run bench:webhooks`: the cost of webhooks for writes.
 *
 * Measures ingest and submits on two fresh servers, one without webhooks and one with ten of them for all events, whose target
 * accepts connections and never responds; it starts when all of them hang. Both do the same small pieces of work in turn, so that
 * a temporarily slow machine or disk affects both. Also shows the CPU time of the servers per record or submit (Linux only).
 * Options: `--records 20000`, `--submits 1000`, `--rounds 5`, `--json <file>`.
 */
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { EVENTS } from '@postil/domain/events'
import { type StartedServer, startServer } from '../server.ts'
import { createMeasuredDataset, ingest, listRecordIds, type MeasuredDataset } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, measure, type Send } from './measure.ts'
import { processCpuMs } from './processor.ts'
import { printRows } from './report.ts'

/** Minimum speed with webhooks, relative to the speed without. */
const RATIO_MIN = 0.9
/** Number of warm-up submits in each piece, for the new connections. */
const WARMUP = 8
/** Number of pieces of each step. */
const PIECES = 10
/** The maximum of the server. */
const WEBHOOKS = 10
const STEPS = ['ingest, records', 'submits, 1 client', 'submits, 8 clients'] as const

type Kind = 'without' | 'with'
const KINDS: readonly Kind[] = ['without', 'with']

const ANSWER = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    submits: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
})
const [records, submits, rounds] = [options.records, options.submits, options.rounds].map(Number) as [number, number, number]
const NEEDED = 2 * (submits + PIECES * WARMUP)
if (!(records >= NEEDED)) throw new Error(`--records must be at least ${NEEDED}: each submit is for a record of its own`)

interface Figure {
  per_second: number
  /** CPU time of the server per record or submit, including its background work. */
  cpu_ms: number
}

interface Result {
  step: string
  without: Figure
  with: Figure
  /** Speed: median over all pieces of (with / without). CPU time: median over the rounds. */
  ratio: Figure
}

const silent = await listenSilently()
try {
  const pairs: Pair[] = []
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds} …\n`)
    pairs.push(await measureRound())
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

/** Accepts connections, reads, and never responds. */
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

/** Time of each piece of a step in seconds, and the total CPU time. */
interface PieceTimes {
  seconds: number[]
  cpuMs: number
}

type Pair = Record<Kind, Record<(typeof STEPS)[number], PieceTimes>>

interface MeasuredServer {
  server: StartedServer
  dataset: MeasuredDataset
  ids: string[]
}

async function measureRound(): Promise<Pair> {
  const servers = { without: await openServer(false), with: await openServer(true) }
  try {
    const filled = await byTurns(servers, async ({ server, dataset }, piece) => {
      const size = records / PIECES
      return (await ingest(server, dataset, piece * size, (piece + 1) * size, 2)).seconds
    })
    for (const kind of KINDS) {
      servers[kind].ids = await listRecordIds(servers[kind].server, servers[kind].dataset.id, NEEDED)
    }
    const submitWith = (concurrency: number) => byTurns(servers, ({ server, ids }) => submitPiece(server, ids, concurrency))
    const [one, eight] = [await submitWith(1), await submitWith(8)]
    const ofKind = (kind: Kind) => ({
      'ingest, records': filled[kind],
      'submits, 1 client': one[kind],
      'submits, 8 clients': eight[kind],
    })
    return { without: ofKind('without'), with: ofKind('with') }
  } finally {
    for (const kind of KINDS) await servers[kind].server.close()
  }
}

async function openServer(hasWebhooks: boolean): Promise<MeasuredServer> {
  const server = await startServer({ env: { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' } })
  const dataset = await createMeasuredDataset(server)
  const before = silent.connections()
  if (hasWebhooks) await createWebhooks(server)
  await touch(server, dataset.id)
  // From now on every target hangs, and the sending thread has started, which happens only once.
  while (hasWebhooks && silent.connections() < before + WEBHOOKS) await delay(20)
  return { server, dataset, ids: [] }
}

async function submitPiece(server: StartedServer, ids: string[], concurrency: number): Promise<number> {
  const submit: Send = connection => connection.send('POST', `/api/v1/records/${ids.pop()}/responses`, ANSWER)
  const requests = submits / PIECES
  return requests / (await measure(server, { requests, warmup: WARMUP, concurrency }, submit)).per_second
}

/** Alternates the order with each piece, so that going first does not favour one side. */
async function byTurns(
  servers: Record<Kind, MeasuredServer>,
  work: (measured: MeasuredServer, piece: number) => Promise<number>,
): Promise<Record<Kind, PieceTimes>> {
  const spent: Record<Kind, PieceTimes> = { without: { seconds: [], cpuMs: 0 }, with: { seconds: [], cpuMs: 0 } }
  for (let piece = 0; piece < PIECES; piece++) {
    for (const kind of piece % 2 === 0 ? KINDS : KINDS.toReversed()) {
      const before = processCpuMs(servers[kind].server.pid)
      spent[kind].seconds.push(await work(servers[kind], piece))
      spent[kind].cpuMs += processCpuMs(servers[kind].server.pid) - before
    }
  }
  return spent
}

async function createWebhooks(server: StartedServer): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  for (let number = 1; number <= WEBHOOKS; number++) {
    const body = { url: `${silent.url}${number}`, events: Object.keys(EVENTS) }
    check(await connection.send('POST', '/api/v1/webhooks', JSON.stringify(body)))
  }
  connection.close()
}

/** Raises an event that is not measured. */
async function touch(server: StartedServer, datasetId: string): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  check(await connection.send('PATCH', `/api/v1/datasets/${datasetId}`, JSON.stringify({ guidelines: 'Choose a topic.' })))
  connection.close()
}

function toResult(step: (typeof STEPS)[number], pairs: readonly Pair[]): Result {
  const count = step === STEPS[0] ? records : submits
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const figureOf = (kind: Kind): Figure => ({
    per_second: median(pairs.map(pair => count / sum(pair[kind][step].seconds))),
    cpu_ms: median(pairs.map(pair => pair[kind][step].cpuMs / count)),
  })
  const speeds = pairs.flatMap(pair =>
    pair.with[step].seconds.map((seconds, piece) => (pair.without[step].seconds[piece] ?? 0) / seconds),
  )
  const cpu_ms = median(pairs.map(pair => pair.with[step].cpuMs / pair.without[step].cpuMs))
  return { step, without: figureOf('without'), with: figureOf('with'), ratio: { per_second: median(speeds), cpu_ms } }
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
