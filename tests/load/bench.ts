/**
 * `npm run bench`: how fast a server is, and how the cost grows with the number of records.
 *
 * Options: `--records 1000,20000` chooses sizes, `--million` adds 1,000,000, `--json <file>` writes the figures there too.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type StartedServer, startServer } from '../server.ts'
import { createMeasuredDataset, ingest } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, type Target } from './measure.ts'
import { type BenchResult, type Figure, printTable } from './report.ts'
import { type Bench, measureDuringIngest, measureReads, measureResponses } from './steps.ts'

const SIZES = [1_000, 20_000, 100_000]
const RESPONDED_MAX = 10_000

const { values: options } = parseArgs({
  options: { records: { type: 'string' }, million: { type: 'boolean' }, json: { type: 'string' } },
})
const sizes = options.records?.split(',').map(Number) ?? [...SIZES, ...(options.million ? [1_000_000] : [])]

const results: BenchResult[] = []
for (const records of sizes) results.push({ records, figures: await benchSize(records) })
printTable(results)
const report = JSON.stringify({
  machine: { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version },
  results,
})
process.stdout.write(`\n${report}\n`)
if (options.json !== undefined) writeFileSync(options.json, report)

async function benchSize(records: number): Promise<Figure[]> {
  process.stderr.write(`${records} records: filling …\n`)
  const home = mkdtempSync(join(tmpdir(), 'postil-bench-'))
  const server = await startServer({ home })
  try {
    const dataset = await createMeasuredDataset(server)
    const filled = await ingest(server, dataset, 0, records, 2)
    process.stderr.write(`${records} records: measuring …\n`)
    const bench: Bench = { target: server, dataset, records, recordIds: await listRecordIds(server, dataset.id) }
    const reads = await measureReads(bench)
    const responses = await measureResponses(bench)
    const memory = memoryMb(server)
    const busy = await measureDuringIngest(bench)
    const closed = await server.close()
    if (closed !== 0) throw new Error(`The server ended with code ${closed}:\n${server.output()}`)
    return [
      { step: 'ingest, records', per_second: filled.per_second },
      ...reads,
      ...responses,
      ...busy,
      { step: 'memory after the reads, MB', value: memory.now },
      { step: 'memory at most, MB', value: memory.most },
      { step: 'disk, MB', value: diskMb(home) },
      { step: 'cold start to first answer, ms', value: await coldStart(home) },
    ]
  } finally {
    await server.kill()
    rmSync(home, { recursive: true, force: true })
  }
}

async function listRecordIds({ url, apiKey }: Target, datasetId: string): Promise<string[]> {
  const connection = await openConnection(url, apiKey)
  const ids: string[] = []
  while (ids.length < RESPONDED_MAX) {
    const answer = check(await connection.send('GET', `/api/v1/datasets/${datasetId}/records?limit=1000&offset=${ids.length}`))
    const { items } = JSON.parse(answer.body.toString()) as { items: { id: string }[] }
    if (items.length === 0) break
    ids.push(...items.map(item => item.id))
  }
  connection.close()
  return ids
}

function memoryMb({ pid }: StartedServer): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { now: mb('VmRSS'), most: mb('VmHWM') }
}

function diskMb(home: string): number {
  return (
    ['postil.db', 'postil.db-wal'].reduce(
      (sum, file) => sum + (statSync(join(home, file), { throwIfNoEntry: false })?.size ?? 0),
      0,
    ) / 1e6
  )
}

/** From starting the process on the filled folder to the first answered request. */
async function coldStart(home: string): Promise<number> {
  const start = performance.now()
  const server = await startServer({ home })
  const connection = await openConnection(server.url, server.apiKey)
  check(await connection.send('GET', '/api/v1/me'))
  const ms = performance.now() - start
  connection.close()
  await server.close()
  return ms
}
