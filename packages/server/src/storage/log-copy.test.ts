/** Copies the write-ahead log into the database file in steps, while other connections read. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqlite, type SqliteHandle } from './sqlite.ts'

const PAGE = 4_096
const MUCH = 1_100
const LITTLE = 400

let folder: string
let writer: SqliteHandle
let reader: SqliteHandle
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  const options = { path: join(folder, 'test.db'), synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 8 } as const
  writer = openSqlite({ ...options, readonly: false })
  writer.raw.exec('create table pages (bytes blob)')
  reader = openSqlite({ ...options, readonly: true })
  expect(await writer.copyLog()).toBe(false)
})
afterEach(async () => {
  await reader.close()
  await writer.close()
  rmSync(folder, { recursive: true })
})

async function write(pages: number): Promise<void> {
  await writer.transaction(async db => {
    for (let i = 0; i < pages; i++) await db.sql.run(`insert into pages values (zeroblob(${PAGE - 500}))`)
  })
}

/** Returns the number of pages in the log, and how many of them are not yet in the database file. */
function readLog(): { pages: number; left: number } {
  const [state] = writer.raw.pragma('wal_checkpoint(noop)') as { log: number; checkpointed: number }[]
  return { pages: state?.log ?? -1, left: (state?.log ?? -1) - (state?.checkpointed ?? -1) }
}

test('little is left alone, and much is copied once', async () => {
  await write(LITTLE)
  expect(await writer.copyLog()).toBe(false)
  await write(MUCH)
  expect(await writer.copyLog()).toBe(true)
  expect(readLog().left).toBe(0)
  expect(await writer.copyLog()).toBe(false)
})

test('commits do not copy, however much there is', async () => {
  for (let i = 0; i < 5; i++) await write(MUCH)
  expect(readLog().left).toBeGreaterThan(5 * MUCH)
})

test('the log starts anew after it was copied, while nobody reads', async () => {
  for (let i = 0; i < 5; i++) {
    await write(MUCH)
    expect(await writer.copyLog()).toBe(true)
    expect(readLog().pages).toBeLessThan(2 * MUCH)
  }
})

test('what a reader does not let go is not tried again and again', async () => {
  await write(LITTLE)
  reader.raw.exec('begin')
  await reader.sql.get('select count(*) from pages')
  await write(MUCH)
  expect(await writer.copyLog()).toBe(true)
  expect(readLog().left).toBeGreaterThan(MUCH)
  expect(await writer.copyLog()).toBe(false)
  await write(LITTLE)
  expect(await writer.copyLog()).toBe(false)
  await write(MUCH)
  expect(await writer.copyLog()).toBe(true)
  reader.raw.exec('commit')
  await write(MUCH)
  expect(await writer.copyLog()).toBe(true)
  expect(readLog().left).toBe(0)
})
