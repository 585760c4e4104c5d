/** Tables of docs/scaling.md: measurements per record, and the extrapolation to many records. */
import { printRows } from './report.ts'
import type { SizeFigures } from './scaling-measure.ts'
import { simulateHeads } from './scaling-simulation.ts'

const SIZES = [1e6, 1e7, 1e8, 1e9]
const GIB = 2 ** 30
/** 128 dimensions in 16 bits, a multiple of 64 bytes, plus the overhead of a row in the vector index (vectors/space.ts). */
const VECTOR_ROW_BYTES = 256 + 68
/** A common shard size: larger shards take long to move, smaller ones waste memory. */
const SHARD_GIB = 30
/** Tables that grow with responses; the others grow with records. */
const BY_RESPONSE = ['responses', 'response_history', 'changes']
const BY_RECORD = ['records', 'record_fields', 'suggestions', 'vectors', 'text_segments']
/** Default retention of the change log (SERVICE_CHANGE_LOG_SECONDS). */
const LOG_DAYS = 7

const title = (text: string) => process.stdout.write(`\n${text}\n`)
const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)
const number = (value: number) => Math.round(value).toLocaleString('en')
const gib = (bytes: number) => (bytes < 10 * GIB ? (bytes / GIB).toFixed(1) : number(bytes / GIB))

/** Returns the bytes per record and per response. */
function toRow({ tables, records, responses, memory, indexes, load_cpu_seconds }: SizeFigures) {
  const of = (names: readonly string[], count: number, sizes = tables) => sum(names.map(name => (sizes[name] ?? 0) / count))
  return {
    record: of(BY_RECORD, records),
    response: of(['responses', 'response_history'], responses),
    change: (tables.changes ?? 0) / responses,
    btree: of(BY_RECORD, records, indexes) + of(['responses'], responses, indexes),
    memory: sum(Object.values(memory)) / records,
    loadMicroseconds: (load_cpu_seconds * 1e6) / records,
  }
}

export function printProjections(all: readonly SizeFigures[]): void {
  printMeasured(all)
  const sqlite = findLargest(all, 'sqlite')
  const postgres = findLargest(all, 'postgres')
  if (sqlite && postgres) printSizes(toRow(sqlite), toRow(postgres), findCluster(all))
  printTimes()
  printHeads()
}

const findLargest = (all: readonly SizeFigures[], database: string): SizeFigures | undefined =>
  all.filter(one => one.database === database).toSorted((a, b) => b.records - a.records)[0]

const findCluster = (all: readonly SizeFigures[]): number | null => {
  const [found] = all.filter(({ engine }) => engine !== null).toSorted((a, b) => b.records - a.records)
  return found?.engine ? found.engine / found.records : null
}

function printMeasured(all: readonly SizeFigures[]): void {
  title('Measured: bytes of a record, or of a response, by table with its indexes')
  const tables = [...BY_RECORD, ...BY_RESPONSE]
  const cell = ({ tables: sizes, records, responses }: SizeFigures, table: string) =>
    number((sizes[table] ?? 0) / (BY_RESPONSE.includes(table) ? responses : records))
  printRows([
    ['table', ...all.map(({ database, records }) => `${database}, ${number(records)}`)],
    ...tables.map(table => [
      BY_RESPONSE.includes(table) ? `${table} (a response)` : table,
      ...all.map(measured => cell(measured, table)),
    ]),
    ['b-trees of a record and a response', ...all.map(measured => number(toRow(measured).btree))],
  ])
  title('Measured: bytes of a record in the memory of the embedded index')
  const embedded = all.filter(({ memory }) => Object.keys(memory).length > 0)
  const parts = Object.keys(embedded[0]?.memory ?? {})
  printRows([
    ['part', ...embedded.map(({ database, records }) => `${database}, ${number(records)}`)],
    ...parts.map(part => [part, ...embedded.map(({ memory, records }) => number((memory[part] ?? 0) / records))]),
    ['a vector of 128 dimensions', ...embedded.map(() => number(VECTOR_ROW_BYTES))],
    [
      'reading all but vectors, microseconds of the server',
      ...embedded.map(measured => toRow(measured).loadMicroseconds.toFixed(1)),
    ],
  ])
}

type Row = ReturnType<typeof toRow>

function printSizes(sqlite: Row, postgres: Row, clusterBytes: number | null): void {
  title('Worked out: GiB for so many records with one response each; the log is that of 1 % of the records answered in a week')
  const rows: [string, (records: number) => string][] = [
    ['SQLite file', records => gib(records * (sqlite.record + sqlite.response + 0.01 * sqlite.change))],
    ['PostgreSQL', records => gib(records * (postgres.record + postgres.response + 0.01 * postgres.change))],
    ['of it b-trees, which should fit in memory', records => gib(records * postgres.btree)],
    ['embedded index, without vectors', records => gib(records * postgres.memory)],
    ['embedded index, with vectors', records => gib(records * (postgres.memory + VECTOR_ROW_BYTES))],
    ['reading it after a start, minutes at least', records => ((records * postgres.loadMicroseconds) / 6e7).toFixed(1)],
  ]
  if (clusterBytes !== null) {
    rows.push(['search cluster, one copy', records => gib(records * clusterBytes)])
    rows.push([`shards of ${SHARD_GIB} GiB`, records => number(Math.ceil((records * clusterBytes) / GIB / SHARD_GIB))])
  }
  printRows([['', ...SIZES.map(number)], ...rows.map(([name, of]) => [name, ...SIZES.map(of)])])
}

/** Records per second: measured rates of a deployment, and a possible rate of a cluster with several machines. */
const RATES = [1_500, 4_000, 20_000]

function printTimes(): void {
  title('Worked out: hours to load so many records, or to build a search index anew')
  const hours = (records: number, rate: number) => (records / rate / 3600).toFixed(records / rate < 36_000 ? 1 : 0)
  printRows([
    ['records a second', ...SIZES.map(number)],
    ...RATES.map(rate => [number(rate), ...SIZES.map(records => hours(records, rate))]),
  ])
}

/** Commit times of a local disk, a cloud disk, and synchronous replication. */
const COMMITS_MS = [0.3, 1, 3]
const DATASETS = [1, 4, 16]
const WRITERS = 64

function printHeads(): void {
  title(
    `Simulated: transactions a second of ${WRITERS} writers that take 3 ms before they lock the head of a dataset, by the time of a commit. Processors are not a limit here. The log is kept for ${LOG_DAYS} days`,
  )
  printRows([
    ['datasets', ...COMMITS_MS.map(ms => `${ms} ms`)],
    ...DATASETS.map(datasets => [
      String(datasets),
      ...COMMITS_MS.map(heldMs => number(simulateHeads({ writers: WRITERS, datasets, beforeMs: 3, heldMs }))),
    ]),
  ])
}
