/**
 * `npm run bench:imports`: memory of the server, and times of submits, while files are imported and exported.
 *
 * Imports 100,000 rows with 50 bad ones from CSV, JSON lines and Parquet, each into a separate dataset, and exports them in the
 * same format, while one annotator submits every 50 ms. Checks that the file of rejected rows lists the bad ones, and that the
 * export has the rows of the import. Memory is that of the server process (Linux only). Options: `--rows 100000`, `--formats
 * csv,jsonl,parquet`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { Export } from '@postil/domain/exports'
import type { Import } from '@postil/domain/imports'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { type Caller, caller } from '../contract/http.ts'
import { upload } from '../contract/import-world.ts'
import { type StartedServer, startServer } from '../server.ts'
import { createMeasuredDataset, ingest, listRecordIds } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, quantiles } from './measure.ts'
import { memoryMb } from './processor.ts'
import { printRows } from './report.ts'

const MEMORY_MB_MAX = 300
const SUBMIT_MS_MAX = 100
const BAD = 50
const SUBMIT_EACH_MS = 50
const ANSWERED_RECORDS = 20_000
const ANSWER = JSON.stringify({ status: 'submitted', values: { topic: { value: 'praise' } } })

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, formats: { type: 'string', default: 'csv,jsonl,parquet' } },
})
const rows = Number(options.rows)

/** About 300 bytes each; the bad rows have no text. */
const texts = Array.from({ length: rows }, (_, row) =>
  row % Math.floor(rows / BAD) === 0 ? null : `Row ${row}: ${'the quick brown fox jumps over the lazy dog, '.repeat(6)}`,
)

function toContent(format: string): Uint8Array {
  if (format === 'csv') return Buffer.from(`text,length\n${texts.map((text, row) => `"${text ?? ''}",${row}`).join('\n')}\n`)
  if (format === 'jsonl') return Buffer.from(texts.map((text, length) => JSON.stringify({ text, length })).join('\n'))
  const lengths = { name: 'length', data: texts.map((_, row) => row), type: 'INT32' as const }
  return new Uint8Array(
    parquetWriteBuffer({ columnData: [{ name: 'text', data: texts, type: 'STRING', nullable: true }, lengths] }),
  )
}

const MAPPING = { fields: [{ source: 'text', target: 'text' }], metadata: [{ source: 'length', target: 'length' }] }

interface Measured {
  what: string
  seconds: number
  memoryMb: number
  submits: number
  p50_ms: number
  p95_ms: number
}

interface Bench {
  server: StartedServer
  owner: Caller
  /** Records without a response. */
  ids: string[]
}

/** Runs `work` while an annotator submits. */
async function measure<T>({ server, ids }: Bench, what: string, work: () => Promise<T>): Promise<[T, Measured]> {
  const idle = memoryMb(server.pid).now
  let most = idle
  const times: number[] = []
  const state = { isDone: false }
  const submitting = submitAll()
  const watching = watch()
  const began = performance.now()
  const result = await work().finally(() => {
    state.isDone = true
  })
  const seconds = (performance.now() - began) / 1000
  await Promise.all([submitting, watching])
  return [result, { what, seconds, memoryMb: most - idle, submits: times.length, ...quantiles(times) }]

  async function watch(): Promise<void> {
    while (!state.isDone) {
      most = Math.max(most, memoryMb(server.pid).now)
      await delay(100)
    }
  }

  async function submitAll(): Promise<void> {
    const connection = await openConnection(server.url, server.apiKey)
    while (!state.isDone && ids.length > 0) {
      const start = performance.now()
      check(await connection.send('POST', `/api/v1/records/${ids.pop()}/responses`, ANSWER))
      times.push(performance.now() - start)
      await delay(SUBMIT_EACH_MS)
    }
    connection.close()
  }
}

async function untilEnded<T extends Import | Export>(owner: Caller, path: string): Promise<T> {
  for (;;) {
    const job = await owner.done<T>(`GET ${path}`)
    if (job.status === 'finished') return job
    if (!['queued', 'started'].includes(job.status)) throw new Error(`${path} is ${job.status}: ${job.error}`)
    await delay(100)
  }
}

async function importRows({ owner }: Bench, datasetId: string, uploadId: string): Promise<Import> {
  const body = { upload_id: uploadId, mapping: MAPPING }
  const { id } = await owner.done<Import>(`POST /datasets/${datasetId}/imports`, body)
  return untilEnded<Import>(owner, `/imports/${id}`)
}

async function exportRows({ server, owner }: Bench, datasetId: string, format: string): Promise<Buffer> {
  const columns = ['text', 'metadata.length']
  const { id } = await owner.done<Export>(`POST /datasets/${datasetId}/exports`, { format, columns })
  await untilEnded<Export>(owner, `/exports/${id}`)
  const headers = { 'x-argilla-api-key': server.apiKey }
  const answer = await fetch(`${server.url}/api/v1/exports/${id}/file`, { headers })
  return Buffer.from(await answer.arrayBuffer())
}

type Row = [text: unknown, length: number]

async function readRows(format: string, bytes: Buffer): Promise<Row[]> {
  if (format === 'parquet') {
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
    return (await parquetReadObjects({ file })).map(row => [row.text, Number(row['metadata.length'])])
  }
  const lines = bytes.toString('utf8').trim().split(/\r?\n/)
  if (format === 'jsonl') return lines.map(line => JSON.parse(line)).map((row): Row => [row.text, row['metadata.length']])
  return lines.slice(1).map(line => {
    const [, text, length] = /^"(.*)",(\d+)$/.exec(line) ?? []
    return [text, Number(length)]
  })
}

async function checkContent({ owner }: Bench, { id }: Import, format: string, exported: Buffer): Promise<void> {
  const good = texts.flatMap((text, row): Row[] => (text === null ? [] : [[text, row]]))
  const bad = texts.flatMap((text, row) => (text === null ? [row + 1] : []))
  const rejects = (await owner.send(`GET /imports/${id}/rejects`)).text.trim().split(/\r?\n/).slice(1)
  if (
    !isDeepStrictEqual(
      rejects.map(line => Number.parseInt(line, 10)),
      bad,
    )
  )
    throw new Error(`${format}: other rows were rejected`)
  if (!isDeepStrictEqual(await readRows(format, exported), good)) throw new Error(`${format}: the export differs from the import`)
}

async function measureFormat(bench: Bench, format: string): Promise<Measured[]> {
  const { id: datasetId } = await createMeasuredDataset(bench.server)
  const uploadId = await upload(bench.owner, `rows.${format}`, toContent(format))
  const [imported, importing] = await measure(bench, `import ${format}`, () => importRows(bench, datasetId, uploadId))
  const [exported, exporting] = await measure(bench, `export ${format}`, () => exportRows(bench, datasetId, format))
  await checkContent(bench, imported, format, exported)
  return [importing, exporting]
}

const toLine = ({ what, seconds, memoryMb: mb, submits, p50_ms, p95_ms }: Measured) => [
  what,
  `${seconds.toFixed(1)} s`,
  `${(rows / seconds).toFixed(0)}/s`,
  `${mb.toFixed(0)} MB`,
  String(submits),
  `${p50_ms.toFixed(1)} ms`,
  `${p95_ms.toFixed(1)} ms`,
  mb > MEMORY_MB_MAX || p95_ms > SUBMIT_MS_MAX ? 'missed' : '',
]

const server = await startServer({})
try {
  const owner = caller(server.url, server.apiKey)
  const answered = await createMeasuredDataset(server)
  await ingest(server, answered, 0, ANSWERED_RECORDS, 2)
  const bench = { server, owner, ids: await listRecordIds(server, answered.id, ANSWERED_RECORDS) }
  const measured: Measured[] = []
  for (const format of options.formats.split(',')) measured.push(...(await measureFormat(bench, format)))
  const head = ['step', 'time', 'rows', 'memory above idle', 'submits', 'p50', 'p95', '']
  printRows([head, ...measured.map(toLine)])
  console.log(
    `wanted: at most ${MEMORY_MB_MAX} MB, p95 of submits under ${SUBMIT_MS_MAX} ms; ${BAD} rows rejected, the others exported as they were imported`,
  )
  console.log(JSON.stringify({ rows, measured }))
} finally {
  await server.close()
}
