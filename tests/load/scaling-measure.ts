/** Space per record: on disk by table, and in memory by part of the embedded index. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { SearchBody } from '@postil/domain/search/query'
import { resolveSearch } from '@postil/domain/search/resolve'
import { loadDatasetSettings, toSearchedDataset } from '@postil/server/features/datasets/settings'
import { findDataset } from '@postil/server/features/datasets/store'
import { toSearchDataset } from '@postil/server/features/records/search-dataset'
import { createIndexes } from '@postil/server/search/embedded/indexes'
import type { Database } from '@postil/server/storage/database'
import { openPostgres } from '@postil/server/storage/postgres'
import { openSqlite } from '@postil/server/storage/sqlite'
import { runOn } from '@postil/server/testing/postgres-server'
import type { Deployment } from './combinations.ts'
import { createMeasuredDataset, ingest, listRecordIds } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check } from './measure.ts'
import { processCpuMs } from './processor.ts'
import { ANSWER } from './steps.ts'

export interface SizeFigures {
  database: string
  records: number
  responses: number
  /** Bytes by table, including its indexes. */
  tables: Record<string, number>
  /** Part of `tables` that their b-trees use. */
  indexes: Record<string, number>
  /** Bytes of memory in one process, by part of the index. */
  memory: Record<string, number>
  /** CPU time of the server to load all parts of an empty index, without that of PostgreSQL. */
  load_cpu_seconds: number
  ingest_per_second: number
  /** Bytes of the engine's index; null if it is embedded. */
  engine: number | null
}

const RESPONSES_MAX = 10_000
const RESPONSES_PER_CALL = 50

export async function measureSizes(deployment: Deployment, records: number): Promise<SizeFigures> {
  const { target, combination, engine } = deployment
  const dataset = await createMeasuredDataset(target)
  const { per_second } = await ingest(target, dataset, 0, records, 2)
  const responses = await respond(deployment, dataset.id, Math.min(records, RESPONSES_MAX))
  await settle(deployment)
  const [server] = deployment.servers
  const url = deployment.databaseUrl
  // The write-ahead log is copied into the file when the server stops.
  const code = await server?.close()
  if (code !== 0) throw new Error(`The server ended with code ${code}: ${server?.output()}`)
  const file = join(server?.home ?? '', 'postil.db')
  const sizes = url === null ? readSqliteSizes(file) : await readPostgresSizes(url)
  const db =
    url === null
      ? openSqlite({ path: file, readonly: true, synchronous: 'full', busyTimeoutMs: 1000, cacheMb: 64 })
      : openPostgres({ url, poolSize: 2 })
  const held = engine === null ? await measureMemory(db, dataset.id) : { memory: {}, load_cpu_seconds: 0 }
  await db.close()
  const indexBytes = engine === null ? null : await readEngineBytes(engine.url)
  return { database: combination.name, records, responses, ...sizes, ...held, ingest_per_second: per_second, engine: indexBytes }
}

async function respond({ target }: Deployment, datasetId: string, count: number): Promise<number> {
  const ids = await listRecordIds(target, datasetId, count)
  const connection = await openConnection(target.url, target.apiKey)
  for (let start = 0; start < ids.length; start += RESPONSES_PER_CALL) {
    const items = ids.slice(start, start + RESPONSES_PER_CALL).map(record_id => ({ record_id, ...JSON.parse(ANSWER) }))
    check(await connection.send('POST', '/api/v1/me/responses/bulk', JSON.stringify({ items })))
  }
  connection.close()
  return ids.length
}

const LOOK_MS = 1_000
const SETTLE_MS_MAX = 180_000

/** Waits until text segments are merged. */
async function settle({ servers }: Deployment): Promise<void> {
  const pid = servers[0]?.pid ?? 0
  for (const end = performance.now() + SETTLE_MS_MAX; performance.now() < end; ) {
    await pause(2 * LOOK_MS)
    const before = processCpuMs(pid)
    await pause(LOOK_MS)
    if (processCpuMs(pid) - before < LOOK_MS / 20) return
  }
}

function readSqliteSizes(file: string): Pick<SizeFigures, 'tables' | 'indexes'> {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = db
    .prepare(
      `select m.tbl_name as name, sum(case when m.type = 'index' then s.pgsize else 0 end) as indexes, sum(s.pgsize) as bytes
       from dbstat s join sqlite_master m on m.name = s.name group by m.tbl_name`,
    )
    .all() as unknown as SizeRow[]
  db.close()
  return toSizes(rows)
}

async function readPostgresSizes(url: string): Promise<Pick<SizeFigures, 'tables' | 'indexes'>> {
  await runOn(url, 'vacuum analyze')
  const rows = await runOn(
    url,
    `select c.relname as name, pg_indexes_size(c.oid)::float8 as indexes, pg_total_relation_size(c.oid)::float8 as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname = current_schema()`,
  )
  return toSizes(rows as unknown as SizeRow[])
}

interface SizeRow {
  name: string
  indexes: number
  bytes: number
}

const toSizes = (rows: readonly SizeRow[]) => ({
  tables: Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes])),
  indexes: Object.fromEntries(rows.map(({ name, indexes }) => [name, indexes])),
})

async function readEngineBytes(url: string): Promise<number> {
  await fetch(`${url}/_forcemerge?max_num_segments=1`, { method: 'POST' })
  const stats = (await (await fetch(`${url}/_stats/store`)).json()) as {
    _all: { primaries: { store: { size_in_bytes: number } } }
  }
  return stats._all.primaries.store.size_in_bytes
}

const scope = (entity: string, rest: object) => ({ entity, ...rest })
const sortBy = (of: object) => ({ sort: [{ scope: of, order: 'desc' }] }) as unknown as SearchBody
/** Each search loads the missing parts that it needs. */
const PARTS: readonly (readonly [part: string, body: SearchBody])[] = [
  ['ids, and one metadata term', sortBy(scope('metadata', { metadata_property: 'source' }))],
  ['an integer', sortBy(scope('metadata', { metadata_property: 'length' }))],
  ['a float', sortBy(scope('metadata', { metadata_property: 'quality' }))],
  ['a time', sortBy(scope('record', { property: 'updated_at' }))],
  ['a suggestion: value', sortBy(scope('suggestion', { question: 'topic', property: 'value' }))],
  ['a suggestion: score', sortBy(scope('suggestion', { question: 'topic', property: 'score' }))],
  ['status', toStatusFilter('record')],
  ['responses of one user', toStatusFilter('response')],
  ['words', { query: { text: { q: 'meadow' } } }],
]

function toStatusFilter(entity: string): SearchBody {
  return {
    filters: { and: [{ type: 'terms', scope: scope(entity, { property: 'status' }), values: ['pending'] }] },
  } as SearchBody
}

/** Measures the index as in the search thread, without vectors: see `VECTOR_ROW_BYTES` in scaling-report.ts. */
async function measureMemory(db: Database, datasetId: string): Promise<Pick<SizeFigures, 'memory' | 'load_cpu_seconds'>> {
  const dataset = await findDataset(db, datasetId)
  if (!dataset) throw new Error(`Dataset ${datasetId} is not in the database`)
  const settings = await loadDatasetSettings(db, dataset)
  const [user] = await db.sql.column<string>('select id from users order by id limit 1')
  const options = { userId: user ?? null, hidesMetadata: false, now: new Date().toISOString(), offset: 0, limit: 10 }
  const indexes = createIndexes({ db, bytesMax: Number.MAX_SAFE_INTEGER })
  const memory: Record<string, number> = {}
  const start = process.cpuUsage()
  let before = 0
  for (const [part, body] of PARTS) {
    const query = resolveSearch(body, toSearchDataset(settings), options)
    const bytes = await indexes.use(toSearchedDataset(dataset, settings), query, index => {
      index.search(query)
      return index.bytes
    })
    memory[part] = bytes - before
    before = bytes
  }
  const { user: userTime, system } = process.cpuUsage(start)
  return { memory, load_cpu_seconds: (userTime + system) / 1e6 }
}
