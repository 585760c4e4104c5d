import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listSharedSamples } from '../features/metrics/shared-samples.ts'
import { write } from '../storage/write.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import type { PeerSamples } from './peers.ts'
import { BUCKET_SECONDS, createSamples } from './samples.ts'
import { countCommits, createSharedCounters, listSharedCounters } from './shared-counts.ts'
import { toPrometheusText } from './text-format.ts'

describe('samples', () => {
  test('of a counter and a histogram add up', () => {
    const samples = createSamples()
    samples.counter('postil_webhook_requests_total', { outcome: 'failed' }).add()
    samples.counter('postil_webhook_requests_total', { outcome: 'failed' }).add(2)
    const seconds = samples.histogram('postil_lane_wait_seconds', { lane: 'list' })
    for (const value of [0, 0.0005, 0.0006, 31]) seconds.observe(value)
    const lines = toPrometheusText(samples.list()).split('\n')
    expect(lines).toContain('postil_webhook_requests_total{outcome="failed"} 3')
    expect(lines).toContain('postil_lane_wait_seconds_bucket{lane="list",le="0.0005"} 2')
    expect(lines).toContain('postil_lane_wait_seconds_bucket{lane="list",le="0.001"} 3')
    expect(lines).toContain('postil_lane_wait_seconds_bucket{lane="list",le="30"} 3')
    expect(lines).toContain('postil_lane_wait_seconds_bucket{lane="list",le="+Inf"} 4')
    expect(lines).toContain('postil_lane_wait_seconds_count{lane="list"} 4')
    expect(lines.filter(line => line.startsWith('postil_lane_wait_seconds_bucket'))).toHaveLength(BUCKET_SECONDS.length + 1)
  })

  test('of the same metric stand together, under one type, whichever process they are of', () => {
    const sample = (name: 'postil_event_streams' | 'process_start_time_seconds', process: string) =>
      ({ name, labels: [['process', process]], value: 1 }) as const
    const all = ['1', '2'].flatMap(id => [sample('process_start_time_seconds', id), sample('postil_event_streams', id)])
    const names = toPrometheusText(all)
      .split('\n')
      .map(line => (line.split(/[{ ]/)[0] === '#' ? line.split(' ')[1] : line.split('{')[0]))
    expect(names).toEqual([
      ...['HELP', 'TYPE', 'postil_event_streams', 'postil_event_streams'],
      ...['HELP', 'TYPE', 'process_start_time_seconds', 'process_start_time_seconds', ''],
    ])
  })

  test('escape quotes, line ends and backslashes of labels', () => {
    const text = toPrometheusText([{ name: 'postil_build_info', labels: [['node', 'a"b\nc\\d']], value: 1 }])
    expect(text).toContain('postil_build_info{node="a\\"b\\nc\\\\d"} 1')
  })
})

describe('commits', () => {
  let ctx: TestContext
  beforeAll(async () => {
    ctx = await openTestContext()
  })
  afterAll(() => ctx.close())

  test('of a group are one; a transaction that is undone is none', async () => {
    const memory = createSharedCounters()
    const db = countCommits(ctx.db, memory)
    const commits = () => listSharedCounters(memory).find(({ name }) => name === 'postil_commits_total')?.value
    const store = () => write({ ...ctx, db }, async tx => void (await tx.sql.run('delete from jobs')))
    await store()
    expect(commits()).toBe(1)
    await db.group(async () => {
      await store()
      await store()
    })
    expect(commits()).toBe(2)
    await expect(db.transaction(() => Promise.reject(new Error('undone')))).rejects.toThrow('undone')
    expect(commits()).toBe(2)
    await store()
    expect(commits()).toBe(3)
  })
})

/** The statements that count for metrics are the same for all databases. */
eachDatabase(db => {
  test('of jobs and webhooks are read from the database', async () => {
    const info = async () => ({ engine: 'other', changes_behind_max: 7, records_refused: 2 })
    const samples = await listSharedSamples({ db: db(), search: { info }, config: { searchEngine: 'embedded' } })
    const values = Object.fromEntries(samples.map(({ name, labels, value }) => [[name, ...labels.flat()].join(' '), value]))
    expect(values).toMatchObject({
      'postil_jobs status queued': 0,
      'postil_webhooks state paused': 0,
      postil_webhook_deliveries_waiting: 0,
      'postil_search_available engine embedded': 1,
      'postil_search_lag_changes engine embedded': 7,
      'postil_search_refused_records engine embedded': 2,
    })
  })
})

test('of a search engine that does not answer say that, and no lag', async () => {
  const ctx = await openTestContext()
  const info = async () => ({ engine: 'other', status: 'unavailable' })
  const samples = await listSharedSamples({ db: ctx.db, search: { info }, config: { searchEngine: 'opensearch' } })
  const ofSearch = samples.filter(({ name }) => name.startsWith('postil_search'))
  expect(ofSearch).toEqual([{ name: 'postil_search_available', labels: [['engine', 'opensearch']], value: 0 }])
  await ctx.close()
})

describe('processes that share a port', () => {
  const run = promisify(execFile)
  const program = fileURLToPath(new URL('./testing/three-processes.ts', import.meta.url))
  const ask = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [program, ...args], { encoding: 'utf8' })
    const { others, isComplete } = JSON.parse(stdout) as { others: PeerSamples[]; isComplete: boolean }
    return { isComplete, values: others.map(({ process, samples }) => [process, samples[0]?.value]).toSorted() }
  }

  test('answer for each other', async () => {
    expect(await ask()).toEqual({
      isComplete: true,
      values: [
        ['2', 20],
        ['3', 30],
      ],
    })
  })

  test('do not wait for one that hangs, and say that it is missing', async () => {
    expect(await ask('3')).toEqual({ isComplete: false, values: [['2', 20]] })
  })
})
