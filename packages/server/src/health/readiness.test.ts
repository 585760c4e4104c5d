import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getReadiness } from '../features/health/read.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { createCachedCheck } from './cached-check.ts'
import { createReadiness } from './readiness.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await openTestContext()
})
afterAll(() => ctx.close())

const ALL_OK = { process: 'ok', threads: 'ok', database: 'ok', schema: 'ok', search_engine: 'ok' }
const LIMITS = { keepMs: 0, limitMs: 50 }
const SILENT = pino({ level: 'silent' })
const open = (search: { info(): Promise<Record<string, unknown>> } = ctx.search) =>
  createReadiness({ db: ctx.db, search, log: SILENT, limits: LIMITS })

test('a server whose parts work is ready', async () => {
  expect(await open().read()).toEqual({ status: 'ready', checks: ALL_OK })
  expect(await getReadiness({ readiness: open() })).toMatchObject({ status: 200 })
})

test('a server that stops, or has lost a thread, is not ready', async () => {
  const [stopping, broken] = [open(), open()]
  stopping.stop()
  broken.noteEndedThread()
  expect(await stopping.read()).toEqual({ status: 'unready', checks: { ...ALL_OK, process: 'stopping' } })
  expect(await broken.read()).toEqual({ status: 'unready', checks: { ...ALL_OK, threads: 'ended' } })
  expect(await getReadiness({ readiness: stopping })).toMatchObject({ status: 503 })
})

describe('the search engine', () => {
  test('does not count if it fails or hangs: writes go on without it', async () => {
    const failing = open({ info: () => Promise.reject(new Error('https://user:secret@engine.example is gone')) })
    expect(await failing.read()).toEqual({ status: 'degraded', checks: { ...ALL_OK, search_engine: 'failing' } })
    const hanging = open({ info: () => new Promise(() => {}) })
    expect(await hanging.read()).toEqual({ status: 'degraded', checks: { ...ALL_OK, search_engine: 'timeout' } })
    expect(await getReadiness({ readiness: failing })).toMatchObject({ status: 200 })
  })
})

describe('the database', () => {
  test('of a newer revision can be worked with, of an older one not', async () => {
    await ctx.db.sql.run("insert into revisions (name, applied_at) values ('9999', '')")
    expect(await open().read()).toEqual({ status: 'ready', checks: { ...ALL_OK, schema: 'newer' } })
    const newest = await ctx.db.sql.get<{ name: string }>("select max(name) as name from revisions where name <> '9999'")
    await ctx.db.sql.run("update revisions set name = 'gone' where name = ?", [newest?.name ?? ''])
    expect(await open().read()).toEqual({ status: 'unready', checks: { ...ALL_OK, schema: 'older' } })
    await ctx.db.sql.run("update revisions set name = ? where name = 'gone'", [newest?.name ?? ''])
    await ctx.db.sql.run("delete from revisions where name = '9999'")
  })

  test('that cannot be read makes the server unready', async () => {
    const closed = await openTestContext()
    await closed.close()
    const readiness = createReadiness({ db: closed.db, search: ctx.search, log: SILENT, limits: LIMITS })
    const checks = { ...ALL_OK, database: 'failing', schema: 'unknown' }
    expect(await readiness.read()).toEqual({ status: 'unready', checks })
  })
})

describe('a check', () => {
  test('runs once for all who ask within its time', async () => {
    let runs = 0
    const check = createCachedCheck(async () => ++runs, -1, { keepMs: 60_000, limitMs: 1_000 })
    expect(await Promise.all([check(), check(), check()])).toEqual([1, 1, 1])
    expect(await check()).toBe(1)
  })

  test('that hangs is not begun again before it ends, and nobody waits for it twice', async () => {
    const answers: ((word: string) => void)[] = []
    const work = () => new Promise<string>(resolve => answers.push(resolve))
    const check = createCachedCheck(work, 'late', { keepMs: 60_000, limitMs: 20 })
    expect(await check()).toBe('late')
    const begun = performance.now()
    expect(await check()).toBe('late')
    expect([performance.now() - begun < 20, answers.length]).toEqual([true, 1])
    answers[0]?.('done')
    await pause(0)
    expect(await check()).toBe('done')
  })
})
