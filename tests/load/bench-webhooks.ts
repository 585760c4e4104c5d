/**
 * `npm run bench:webhooks`: what webhooks cost those who write.
 *
 * Measures ingest and submits on fresh servers, by turns without webhooks and with ten of them on all events, whose target accepts
 * connections and never answers. Options: `--records 20000`, `--submits 1000`, `--rounds 5`, `--json <file>`.
 */
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { EVENTS } from '@postil/domain/events'
import { type StartedServer, startServer } from '../server.ts'
import { createMeasuredDataset, ingest } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, measure, quantiles, type Send } from './measure.ts'

/** With webhooks, at least this share of the speed without. */
const RATIO_MIN = 0.9
const WARMUP = 50
/** As many as there can be. */
const WEBHOOKS = 10
const STEPS = ['ingest, records/s', 'submits/s, 1 client', 'submits/s, 8 clients'] as const

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

type Speeds = Record<(typeof STEPS)[number], number>

interface Result {
  step: string
  without: number
  with: number
  /** Median over the rounds of (with / without in the same round). */
  ratio: number
}

const silent = await listenSilently()
try {
  const pairs: { without: Speeds; with: Speeds }[] = []
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds} …\n`)
    // The order changes with each round: what goes before must not help one of them.
    const order = round % 2 === 0 ? [false, true] : [true, false]
    const speeds = new Map<boolean, Speeds>()
    for (const hasWebhooks of order) speeds.set(hasWebhooks, await measureServer(hasWebhooks))
    pairs.push({ without: speeds.get(false) as Speeds, with: speeds.get(true) as Speeds })
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

async function measureServer(hasWebhooks: boolean): Promise<Speeds> {
  const server = await startServer({ env: { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' } })
  try {
    const dataset = await createMeasuredDataset(server)
    const before = silent.connections()
    if (hasWebhooks) await createWebhooks(server)
    const filled = await ingest(server, dataset, 0, records, 2)
    const ids = await listRecordIds(server, dataset.id)
    const body = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })
    const submit: Send = connection => connection.send('POST', `/api/v1/records/${ids.pop()}/responses`, body)
    const plan = { requests: submits, warmup: WARMUP }
    const one = await measure(server, { ...plan, concurrency: 1 }, submit)
    const eight = await measure(server, { ...plan, concurrency: 8 }, submit)
    // Otherwise the figures are about nothing.
    if (hasWebhooks && silent.connections() === before) throw new Error('No webhook was called.')
    return {
      'ingest, records/s': filled.per_second,
      'submits/s, 1 client': one.per_second,
      'submits/s, 8 clients': eight.per_second,
    }
  } finally {
    await server.close()
  }
}

async function createWebhooks(server: StartedServer): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  for (let number = 1; number <= WEBHOOKS; number++) {
    const body = { url: `${silent.url}${number}`, events: Object.keys(EVENTS) }
    check(await connection.send('POST', '/api/v1/webhooks', JSON.stringify(body)))
  }
  connection.close()
}

async function listRecordIds(server: StartedServer, datasetId: string): Promise<string[]> {
  const connection = await openConnection(server.url, server.apiKey)
  const ids: string[] = []
  while (ids.length < NEEDED) {
    const path = `/api/v1/datasets/${datasetId}/records?limit=1000&offset=${ids.length}`
    const { items } = JSON.parse(check(await connection.send('GET', path)).body.toString()) as { items: { id: string }[] }
    ids.push(...items.map(({ id }) => id))
  }
  connection.close()
  return ids
}

function toResult(step: keyof Speeds, pairs: readonly { without: Speeds; with: Speeds }[]): Result {
  const median = (numbers: number[]) => quantiles(numbers).p50_ms
  return {
    step,
    without: median(pairs.map(pair => pair.without[step])),
    with: median(pairs.map(pair => pair.with[step])),
    ratio: median(pairs.map(pair => pair.with[step] / pair.without[step])),
  }
}

function print(results: readonly Result[]): void {
  const head = ['step', 'without webhooks', `with ${WEBHOOKS}`, 'ratio', 'wanted', '']
  const rows = results.map(result => [
    result.step,
    result.without.toFixed(0),
    result.with.toFixed(0),
    result.ratio.toFixed(2),
    `${RATIO_MIN.toFixed(2)} or more`,
    result.ratio >= RATIO_MIN ? '' : 'missed',
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]?.length ?? 0)))
  for (const row of [head, widths.map(width => '-'.repeat(width)), ...rows]) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  }
}
