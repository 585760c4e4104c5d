/** The same workload on every combination: load, submit, search, list, and all of it mixed. */
import { availableParallelism } from 'node:os'
import type { Deployment, ProcessorTimes } from './combinations.ts'
import { createMeasuredDataset, ingest, listRecordIds } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, measure, type Send, type Timing } from './measure.ts'
import { stealTimeMs } from './processor.ts'
import { ANSWER, type Bench, listReads, type Read } from './steps.ts'

export interface WorkloadFigure extends Partial<Timing> {
  step: string
  /** CPU time per record, submit or request, by process, over all cores. */
  cpu_ms?: ProcessorTimes
  /** Fraction of the machine that was used: 1 is all cores. */
  cpu_share?: number
  /** Fraction of all cores lost to steal time. With a high value, elapsed times are unreliable, but CPU times are correct. */
  stolen_share?: number
}

export interface Sizes {
  records: number
  submits: number
  requests: number
}

export const SUBMIT_STEPS = { one: 'submits, 1 client', eight: 'submits, 8 clients' } as const
export const INGEST_STEPS = { answered: 'ingest, records answered', found: 'ingest, until all are found' } as const

/** Compared reads of the main benchmark, and whether they are searches. */
const READS: Readonly<Record<string, boolean>> = {
  'page of 100, first': false,
  'filter + sort': true,
  'word in 5%, filter and sort': true,
  'word in half, by relevance': true,
  similarity: true,
  'next pending records': true,
  'counts beside seven filters': true,
}

export const listComparedReads = (bench: Bench): Read[] => listReads(bench).filter(({ step }) => step in READS)
export const isSearch = (step: string): boolean => READS[step] === true

const WARMUP = 30
const INGEST_CLIENTS = 4
const MIXED = 'mixed, 8 clients'

export async function fill(deployment: Deployment, sizes: Sizes): Promise<{ bench: Bench; figures: WorkloadFigure[] }> {
  const { target } = deployment
  const dataset = await createMeasuredDataset(target)
  // Warm-up: one-time costs such as starting threads, growing tables and compiling code are not measured. Java needs the longest.
  const first = deployment.engine
    ? Math.min(20_000, Math.floor(sizes.records / 2))
    : Math.min(5_000, Math.floor(sizes.records / 4))
  const count = sizes.records - first
  await ingest(target, dataset, 0, first, INGEST_CLIENTS)
  const bench: Bench = { target, dataset, records: sizes.records, recordIds: [] }
  // Otherwise these records would be indexed during the measurement.
  await awaitIndex(deployment, bench)
  const found = await withProcessorTimes(deployment, count, async () => {
    const { seconds, ...answered } = await withProcessorTimes(deployment, count, () =>
      ingest(target, dataset, first, sizes.records, INGEST_CLIENTS),
    )
    const start = performance.now()
    await awaitIndex(deployment, bench)
    return { answered, per_second: count / (seconds + (performance.now() - start) / 1000) }
  })
  bench.recordIds = await listRecordIds(target, dataset.id, Math.min(sizes.records, 3 * sizes.submits + 1_000))
  const { answered, ...indexed } = found
  return {
    bench,
    figures: [
      { step: INGEST_STEPS.answered, ...answered },
      { step: INGEST_STEPS.found, ...indexed },
    ],
  }
}

const BEHIND = 503
const INDEX_MS_MAX = 600_000

/** Searches until the result is complete. If an engine is behind for longer than a search waits, the response is 503. */
async function awaitIndex({ target }: Deployment, bench: Bench): Promise<void> {
  const connection = await openConnection(target.url, target.apiKey)
  const search = listReads({ ...bench, target }).find(({ step }) => step === 'filter + sort') as Read
  const end = performance.now() + INDEX_MS_MAX
  let answer = await search.send(connection, 0)
  while (answer.status === BEHIND && performance.now() < end) answer = await search.send(connection, 0)
  check(answer)
  connection.close()
}

export async function measureSubmits(deployment: Deployment, bench: Bench, { submits }: Sizes): Promise<WorkloadFigure[]> {
  const submit: Send = connection => connection.send('POST', `/api/v1/records/${bench.recordIds.pop()}/responses`, ANSWER)
  const run = (concurrency: number, requests: number) =>
    withProcessorTimes(deployment, requests + WARMUP, () =>
      measure(deployment.target, { concurrency, requests, warmup: WARMUP }, submit),
    )
  return [
    { step: SUBMIT_STEPS.one, ...(await run(1, Math.floor(submits / 4))) },
    { step: SUBMIT_STEPS.eight, ...(await run(8, submits)) },
  ]
}

export async function measureReads(deployment: Deployment, bench: Bench, { requests }: Sizes): Promise<WorkloadFigure[]> {
  await awaitIndex(deployment, bench)
  const figures: WorkloadFigure[] = []
  for (const { step, send } of listComparedReads({ ...bench, target: deployment.target })) {
    const timing = await withProcessorTimes(deployment, requests + WARMUP, () =>
      measure(deployment.target, { concurrency: 1, requests, warmup: WARMUP }, send),
    )
    figures.push({ step, ...timing })
  }
  return figures
}

/** A typical mix: of ten requests three submit, five search and two list. */
export async function measureMixed(deployment: Deployment, bench: Bench, { submits }: Sizes): Promise<WorkloadFigure> {
  const reads = new Map(listComparedReads({ ...bench, target: deployment.target }).map(({ step, send }) => [step, send]))
  const submit: Send = connection => connection.send('POST', `/api/v1/records/${bench.recordIds.pop()}/responses`, ANSWER)
  const read = (step: string) => reads.get(step) as Send
  const [next, page, sorted] = [read('next pending records'), read('page of 100, first'), read('filter + sort')]
  const turns = [submit, next, sorted, submit, next, page, read('word in 5%, filter and sort'), submit, next, page]
  const send: Send = (connection, index) => (turns[index % turns.length] as Send)(connection, index)
  const timing = await withProcessorTimes(deployment, submits + WARMUP, () =>
    measure(deployment.target, { concurrency: 8, requests: submits, warmup: WARMUP }, send),
  )
  return { step: MIXED, ...timing }
}

async function withProcessorTimes<T>(
  deployment: Deployment,
  count: number,
  work: () => Promise<T>,
): Promise<T & { cpu_ms: ProcessorTimes; cpu_share: number; stolen_share: number }> {
  const [start, before, stolenBefore] = [performance.now(), deployment.processorTimes(), stealTimeMs()]
  const result = await work()
  const after = deployment.processorTimes()
  const spent = (key: keyof ProcessorTimes) => after[key] - before[key]
  const all = spent('servers') + spent('database') + spent('engine') + spent('client')
  const of = (key: keyof ProcessorTimes) => spent(key) / count
  const allMs = (performance.now() - start) * availableParallelism()
  return {
    ...result,
    cpu_ms: { servers: of('servers'), database: of('database'), engine: of('engine'), client: of('client') },
    cpu_share: all / allMs,
    stolen_share: (stealTimeMs() - stolenBefore) / allMs,
  }
}
