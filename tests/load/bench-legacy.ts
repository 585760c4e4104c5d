/**
 * Times of searches in a task dataset, without HTTP: `node --expose-gc tests/load/bench-legacy.ts [records]`. Runs on SQLite in a
 * temporary folder. Shows CPU time, then elapsed time.
 */
import { type BulkRecord, bulkLegacyRecords } from '../../packages/server/src/legacy/bulk.ts'
import { createLegacyDataset } from '../../packages/server/src/legacy/datasets.ts'
import { summarizeLegacyMetric } from '../../packages/server/src/legacy/metrics.ts'
import { scanLegacyRecords } from '../../packages/server/src/legacy/scan.ts'
import { searchLegacyRecords } from '../../packages/server/src/legacy/search.ts'
import { actAs, addWorkspace, openTestContext } from '../../packages/server/src/testing/context.ts'

const RECORDS = Number(process.argv[2] ?? 100_000)
const WORDS_PER_RECORD = 60
const BULK = 500
const TIMES = 3

/** Few words are frequent and most are rare, as in a natural language. */
const word = (number: number) => `word${Math.floor(50_000 * ((number * 0.618_034) % 1) ** 4)}`

const toRecord = (i: number): BulkRecord =>
  ({
    id: `record-${i}`,
    inputs: { text: Array.from({ length: WORDS_PER_RECORD }, (_, j) => word(i * WORDS_PER_RECORD + j)).join(' ') },
    metadata: { split: i % 10 === 0 ? 'test' : 'train', source: `source ${i % 100}`, length: i % 1_000 },
    multi_label: false,
    prediction: { agent: 'model', labels: [{ class: i % 3 ? 'pos' : 'neg', score: (i % 100) / 100 }] },
    ...(i % 2 ? { annotation: { agent: 'person', labels: [{ class: 'pos', score: 1 }] }, status: 'Validated' } : {}),
  }) as unknown as BulkRecord

const ctx = await openTestContext()
await addWorkspace(ctx, 'bench')
const owner = await actAs(ctx, 'owner')
const place = { workspace: 'bench', name: 'bench', task: 'TextClassification' as const }
await createLegacyDataset(owner, { name: place.name, task: place.task } as never, place.workspace)

/** On a busy machine, CPU time is more reliable than elapsed time. */
async function timed(what: string, work: () => Promise<unknown>, times = TIMES): Promise<void> {
  const taken: string[] = []
  for (let i = 0; i < times; i++) {
    const [start, used] = [performance.now(), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(used)
    taken.push(`${Math.round((user + system) / 1_000)} (${Math.round(performance.now() - start)})`)
  }
  console.info(`${what.padEnd(36)} ${taken.join(', ')} ms`)
}

const search = (query: object, sort: object[] = []) =>
  searchLegacyRecords(owner, place, { limit: 50, from: 0, withMetrics: false }, { query, sort } as never)
const scan = (given: object) => scanLegacyRecords(owner, place, 250, given as never)

await timed(
  `bulks of ${BULK}, ${RECORDS} records`,
  async () => {
    for (let start = 0; start < RECORDS; start += BULK) {
      const records = Array.from({ length: Math.min(BULK, RECORDS - start) }, (_, i) => toRecord(start + i))
      await bulkLegacyRecords(owner, place, { records })
    }
  },
  1,
)
const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
const before = heap()
await timed('first search', () => search({}), 1)
await timed('no query', () => search({}))
await timed('status', () => search({ status: ['Validated'] }))
await timed('label and metadata', () => search({ predicted_as: ['neg'], metadata: { split: 'test' } }))
await timed('a rare word', () => search({ query_text: 'word40000' }))
await timed('a frequent word', () => search({ query_text: 'word1' }))
await timed('three words and a range', () => search({ query_text: 'word1 AND word2 AND metadata.length:[10 TO 500]' }))
await timed('a wildcard', () => search({ query_text: 'word1?5*' }))
await timed('a misspelt word', () => search({ query_text: 'wrod123~1' }))
await timed('a phrase', () => search({ query_text: '"word0 word1"' }))
await timed('sorted by metadata', () => search({}, [{ id: 'metadata.length', order: 'desc' }]))
await timed('a page of a scan', () => scan({ next_idx: 'record-5' }))
await timed('a page of a scan, with a query', () => scan({ query: { query_text: 'word1' }, next_idx: 'record-5' }))
await timed('a page of a scan, sorted', () => scan({ sort_by: [{ id: 'metadata.length', order: 'asc' }] }))
const metric = (id: string) =>
  summarizeLegacyMetric(owner, place, { metric: id, query: {} as never, options: { size: null, interval: null } })
await timed('metric F1', () => metric('F1'))
await timed('metric words_cloud', () => metric('words_cloud'), 1)
await timed('search after a bulk', async () => {
  await bulkLegacyRecords(owner, place, { records: Array.from({ length: 100 }, (_, i) => toRecord(i)) })
  await search({ status: ['Validated'] })
})
console.info(`heap: ${Math.round((heap() - before) / 2 ** 20)} MiB more than before the first search`)
await ctx.close()
