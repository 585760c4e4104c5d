/**
 * A thread of a real server that dies: one log line names it, the exit code is not 0, and no request hangs. The server only
 * survives the loss of the thread that merges text segments. A module preloaded into every thread injects the failures.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Dataset } from '@postil/domain/datasets'
import { afterAll, expect, test } from 'vitest'
import { startServer } from '../server.ts'
import { caller } from './http.ts'

const folder = mkdtempSync(join(tmpdir(), 'postil-threads-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a module that makes one thread fail when the file `flag` exists, as described in it. */
function plantFailures(name: string): { flag: string; options: string } {
  const flag = join(folder, `${name}.flag`)
  const file = join(folder, `${name}.mjs`)
  const text = `
    import { existsSync, readFileSync } from 'node:fs'
    import { isMainThread, workerData } from 'node:worker_threads'
    const role = isMainThread ? 'main' : workerData?.role
    const failures = {
      throw: () => { throw new Error('planted failure') },
      reject: () => void Promise.reject(new Error('planted failure')),
      exit: () => process.exit(7),
    }
    const timer = setInterval(() => {
      if (!existsSync(${JSON.stringify(flag)})) return
      const [wanted, how] = readFileSync(${JSON.stringify(flag)}, 'utf8').split(' ')
      if (wanted !== role) return
      clearInterval(timer)
      failures[how]()
    }, 50).unref()`
  writeFileSync(file, text)
  return { flag, options: `--import=${pathToFileURL(file)}` }
}

test.each([
  ['main', 'throw', /^Postil stops: .*main thread: Error: planted failure$/m],
  ['main', 'reject', /^Postil stops: .*main thread: Error: planted failure$/m],
  ['writer', 'throw', /^Postil stops: The writer thread ended unexpectedly: planted failure$/m],
  ['search', 'reject', /^Postil stops: The search thread ended unexpectedly: planted failure$/m],
  ['list', 'exit', /^Postil stops: The list thread ended unexpectedly: exit code 7$/m],
  ['checker', 'throw', /^Postil stops: The checker thread ended unexpectedly: planted failure$/m],
] as const)('%s thread, %s: told in one line, and the process ends with 1', async (role, how, line) => {
  const { flag, options } = plantFailures(`${role}-${how}`)
  const server = await startServer({ env: { NODE_OPTIONS: options } })
  // The first large body starts the checker.
  if (role === 'checker') await caller(server.url, server.apiKey).send('POST /workspaces', { name: 'x'.repeat(70_000) })
  writeFileSync(flag, `${role} ${how}`)
  await expect.poll(() => server.output()).toMatch(line)
  expect(server.output().match(/^Postil stops/gm)).toHaveLength(1)
  await expect
    .poll(() =>
      fetch(server.url).then(
        answer => answer.status,
        () => 'gone',
      ),
    )
    .toBe('gone')
  expect(await server.close()).toBe(1)
})

test('merger thread, throw and exit: each is logged, and the server goes on', async () => {
  const { flag, options } = plantFailures('merger')
  const server = await startServer({ env: { NODE_OPTIONS: options } })
  const owner = caller(server.url, server.apiKey)
  const { items } = await owner.done<{ items: { id: string }[] }>('GET /me/workspaces')
  const deaths = () => server.output().match(/"thread":"merger".*"msg":"a thread ended"/g)?.length
  for (const [before, how] of ['throw', 'exit', 'throw'].entries()) {
    writeFileSync(flag, `merger ${how}`)
    // The merger starts after a write that may have stored texts.
    await owner.done<Dataset>('POST /datasets', { name: `dataset ${before}`, workspace_id: items[0]?.id })
    await expect.poll(deaths).toBe(before + 1)
  }
  expect((await owner.send('GET /me')).status).toBe(200)
  expect(await server.close()).toBe(0)
})

test('a thread without memory: the request that it worked on is answered with 503', async () => {
  const server = await startServer({ env: { NODE_OPTIONS: '--max-old-space-size=100' } })
  const owner = caller(server.url, server.apiKey)
  const { items } = await owner.done<{ items: { id: string }[] }>('GET /me/workspaces')
  const dataset = await owner.done<Dataset>('POST /datasets', { name: 'd', workspace_id: items[0]?.id })
  const body = `{"items":[${'{},'.repeat(1_900_000)}{}]}`
  const answer = await owner.send(`POST /datasets/${dataset.id}/records/bulk`, body, { 'content-type': 'application/json' })
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('checker thread has ended')])
  await expect.poll(() => server.output()).toMatch(/^Postil stops: The checker thread .*memory/m)
  expect(await server.close()).toBe(1)
})
