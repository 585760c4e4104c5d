/**
 * `npm run bench`: the speed of a server, and how costs grow with the number of records.
 *
 * Options: `--records 1000,20000` selects sizes, `--million` adds 1,000,000, `--json <file>` also writes the figures to a file,
 * `--keep` writes them to figures.json, with which later runs are compared.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type StartedServer, startServer } from '../server.ts'
import { MARKERS } from './corpus.ts'
import { createMeasuredDataset, ingest, listRecordIds } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check } from './measure.ts'
import { memoryMb, processCpuMs } from './processor.ts'
import { type BenchResult, type Figure, printTables } from './report.ts'
import { type Bench, measureDuringIngest, measureReads, measureResponses, measureUpserts } from './steps.ts'

const SIZES = [20_000, 100_000]
const KEPT = new URL('./figures.json', import.meta.url)
const RESPONDED_MAX = 10_000
const IDLE_LOOK_MS = 500
const IDLE_SHARE = 0.1
const IDLE_WAIT_MAX_MS = 120_000

const { values: options } = parseArgs({
  options: {
    records: { type: 'string' },
    million: { type: 'boolean' },
    json: { type: 'string' },
    keep: { type: 'boolean' },
  },
})
const sizes = options.records?.split(',').map(Number) ?? [...SIZES, ...(options.million ? [1_000_000] : [])]

const results: BenchResult[] = []
for (const records of sizes) results.push({ records, figures: await benchSize(records) })
const kept: { results: BenchResult[] } = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : { results: [] }
printTables(results, kept.results)
const machine = { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version }
process.stdout.write(`\n${JSON.stringify({ machine, results })}\n`)
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ machine, results }))
if (options.keep) {
  const others = kept.results.filter(({ records }) => !sizes.includes(records))
  const all = [...others, ...results].sort((a, b) => a.records - b.records)
  writeFileSync(KEPT, `${JSON.stringify({ machine, results: all }, rounded, 2)}\n`)
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value
}

async function benchSize(records: number): Promise<Figure[]> {
  process.stderr.write(`${records} records: filling …\n`)
  const home = mkdtempSync(join(tmpdir(), 'postil-bench-'))
  const server = await startServer({ home })
  try {
    const dataset = await createMeasuredDataset(server)
    const filled = await ingest(server, dataset, 0, records, 2)
    process.stderr.write(`${records} records: measuring …\n`)
    await waitUntilIdle(server)
    const bench: Bench = { target: server, dataset, records, recordIds: await listRecordIds(server, dataset.id, RESPONDED_MAX) }
    const reads = await measureReads(bench)
    const responses = await measureResponses(bench)
    const memory = memoryMb(server.pid)
    const upserts = await measureUpserts(bench)
    const busy = await measureDuringIngest(bench)
    const closed = await server.close()
    if (closed !== 0) throw new Error(`The server ended with code ${closed}:\n${server.output()}`)
    return [
      { step: 'ingest, records', per_second: filled.per_second },
      ...reads,
      upserts,
      ...responses,
      ...busy,
      { step: 'memory after the reads, MB', value: memory.now },
      { step: 'memory at most, MB', value: memory.most },
      { step: 'disk, MB', value: diskMb(home) },
      ...(await measureColdStart(home, dataset.id)),
    ]
  } finally {
    await server.kill()
    rmSync(home, { recursive: true, force: true })
  }
}

function diskMb(home: string): number {
  return (
    ['postil.db', 'postil.db-wal'].reduce(
      (sum, file) => sum + (statSync(join(home, file), { throwIfNoEntry: false })?.size ?? 0),
      0,
    ) / 1e6
  )
}

/** Measures from the start of the process on the filled folder to the first response, and to the first search response. */
async function measureColdStart(home: string, datasetId: string): Promise<Figure[]> {
  const start = performance.now()
  const server = await startServer({ home })
  const connection = await openConnection(server.url, server.apiKey)
  check(await connection.send('GET', '/api/v1/me'))
  const answered = performance.now() - start
  const body = JSON.stringify({ query: { text: { q: MARKERS.some } } })
  check(await connection.send('POST', `/api/v1/datasets/${datasetId}/records/search?limit=10`, body))
  const found = performance.now() - start
  connection.close()
  await server.close()
  return [
    { step: 'cold start to first answer, ms', value: answered },
    { step: 'cold start to first search, ms', value: found },
  ]
}

/** Waits until text segments are merged after an ingest, at most two minutes. */
async function waitUntilIdle({ pid }: StartedServer): Promise<void> {
  for (const end = performance.now() + IDLE_WAIT_MAX_MS; performance.now() < end; ) {
    // The merger starts one second after a write.
    await setTimeout(2 * IDLE_LOOK_MS)
    const before = processCpuMs(pid)
    await setTimeout(IDLE_LOOK_MS)
    if (processCpuMs(pid) - before < IDLE_SHARE * IDLE_LOOK_MS) return
  }
}
