import { writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { CompiledQuery } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openTestApp } from '../testing/app.ts'
import { actAs, openTestContext } from '../testing/context.ts'
import { toErrorReply } from './errors.ts'

const failure = (code: string) => Object.assign(new Error(`it failed: ${code}`), { code })

function openLog() {
  const lines: Record<string, unknown>[] = []
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    lines.push(JSON.parse(chunk.toString()))
    done()
  }
  return { lines, log: pino(new Writable({ write })) }
}

test.each([
  ['SQLITE_FULL', 507, 'no disk space'],
  ['ENOSPC', 507, 'no disk space'],
  ['SQLITE_BUSY', 503, 'locked'],
  ['SQLITE_BUSY_SNAPSHOT', 503, 'locked'],
  ['SQLITE_READONLY', 503, 'cannot write to its data folder'],
  ['SQLITE_READONLY_DIRECTORY', 503, 'cannot write to its data folder'],
  ['SQLITE_READONLY_DBMOVED', 503, 'cannot be written'],
  ['EROFS', 503, 'cannot write to its data folder'],
  ['EACCES', 503, 'cannot write to its data folder'],
  ['SQLITE_CANTOPEN', 503, 'cannot be opened'],
  ['SQLITE_IOERR_WRITE', 503, 'disk'],
  ['SQLITE_IOERR', 503, 'disk'],
  ['SQLITE_IOERR_CORRUPTFS', 503, 'The disk of the server'],
  ['SQLITE_CORRUPT_VTAB', 503, 'damaged'],
  ['SQLITE_NOTADB', 503, 'damaged'],
  ['EMFILE', 503, 'too many files'],
  ['ENFILE', 503, 'too many files'],
])('%s is answered with %d and when to try again', (code, status, words) => {
  const { log } = openLog()
  const reply = toErrorReply(failure(code), log, 'r1')
  expect(reply).toMatchObject({ status, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
  expect(JSON.parse(Buffer.from(reply.body ?? []).toString())).toEqual({ detail: expect.stringContaining(words) })
})

test.each([['SQLITE_CONSTRAINT_UNIQUE'], ['SQLITE_ERROR'], ['ENOENT'], ['ECONNRESET']])('%s stays a failure of ours', code => {
  const { log, lines } = openLog()
  expect(toErrorReply(failure(code), log, 'r1').status).toBe(500)
  expect(lines).toMatchObject([{ request_id: 'r1', err: { stack: expect.any(String) } }])
})

test('a file that cannot be written is named to the operator', () => {
  const { log, lines } = openLog()
  toErrorReply(Object.assign(failure('EACCES'), { path: '/data/files/a' }), log, 'r1')
  expect(lines).toMatchObject([{ msg: expect.stringMatching(/^\/data\/files\/a cannot be written/) }])
})

test('a failure of storage is logged once in a while, without a stack', () => {
  const { log, lines } = openLog()
  for (let i = 0; i < 100; i++) {
    toErrorReply(failure('SQLITE_FULL'), log, `r${i}`)
    toErrorReply(failure('SQLITE_IOERR_WRITE'), log, `r${i}`)
  }
  expect(lines.map(({ storage, code }) => [storage, code])).toEqual([
    ['full', 'SQLITE_FULL'],
    ['disk', 'SQLITE_IOERR_WRITE'],
  ])
  expect(JSON.stringify(lines)).not.toContain('    at ')
})

test('writes are answered with 507 while there is no space, reads go on, and writes work again when there is some', async () => {
  const ctx = await openTestContext()
  const app = openTestApp(ctx)
  const { apiKey } = await addOwner()
  const create = (name: string) =>
    app.inject({ method: 'POST', url: '/api/v1/workspaces', headers: { 'x-argilla-api-key': apiKey }, payload: { name } })
  const list = () => app.inject({ url: '/api/v1/me/workspaces', headers: { 'x-argilla-api-key': apiKey } })
  expect((await create('before')).statusCode).toBe(201)

  // SQLite's page limit fails like a full disk. The names fill the remaining pages.
  await limitPages(1)
  const statuses: number[] = []
  const nameOf = (i: number) => `${i}-${'x'.repeat(200)}`
  while (statuses.length < 2_000 && statuses.at(-1) !== 507) statuses.push((await create(nameOf(statuses.length))).statusCode)
  const during = nameOf(statuses.length - 1)
  const full = await create(during)
  expect([statuses.at(-1), full.statusCode, full.headers['retry-after']]).toEqual([507, 507, '30'])
  expect(full.json()).toEqual({ detail: expect.stringContaining('no disk space left') })
  expect((await list()).statusCode).toBe(200)

  await limitPages(1_000_000)
  expect((await create('after')).statusCode).toBe(201)
  const names = (await list()).json().items.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['before', 'after']))
  expect(names).not.toContain(during)
  await app.close()
  await ctx.close()

  async function limitPages(pages: number): Promise<void> {
    await ctx.db.kysely.executeQuery(CompiledQuery.raw(`pragma max_page_count = ${pages}`))
  }

  async function addOwner() {
    const { actor } = await actAs(ctx, 'owner')
    const apiKey = ctx.apiKeys.create()
    await ctx.db.kysely
      .updateTable('users')
      .set({ api_key_hash: ctx.apiKeys.hash(apiKey) })
      .where('id', '=', actor.id)
      .execute()
    return { apiKey }
  }
})

test('a database that is damaged while it is open is answered with 503', async () => {
  const ctx = await openTestContext()
  const app = openTestApp(ctx)
  await ctx.db.sql.get('pragma wal_checkpoint(truncate)')
  await ctx.db.sql.run('pragma shrink_memory')
  writeFileSync(ctx.config.databaseFile, Buffer.alloc(200_000, 0xff))
  const answer = await app.inject({ url: '/api/v1/me', headers: { 'x-argilla-api-key': 'x'.repeat(40) } })
  expect([answer.statusCode, answer.json()]).toEqual([503, { detail: 'The database is damaged. Tell the operator.' }])
  await app.close()
  await ctx.close()
})
