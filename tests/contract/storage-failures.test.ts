/** A running server whose disk fails, and its recovery. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'

const newFolder = openFolders()

function openCalls({ url, apiKey }: StartedServer) {
  const headers = { 'x-argilla-api-key': apiKey, 'content-type': 'application/json' }
  return {
    create: (name: string) =>
      fetch(`${url}/api/v1/workspaces`, { method: 'POST', headers, body: JSON.stringify({ name: name.padEnd(200, '-') }) }),
    list: async () => {
      const answer = await fetch(`${url}/api/v1/me/workspaces`, { headers })
      expect(answer.status).toBe(200)
      const { items } = (await answer.json()) as { items: { name: string }[] }
      return items.map(({ name }) => name.replace(/-+$/, ''))
    },
  }
}

/** Simulates a full disk with a file size limit, which can be lifted while the process runs. */
test.runIf(process.platform === 'linux')('writes fail in words while files cannot grow, then work again', async () => {
  const home = newFolder()
  const server = await startServer({ home, shell: 'ulimit -S -f 4096' })
  const { create, list } = openCalls(server)
  const stored: string[] = []
  let answer = await create('w0')
  for (let i = 1; answer.status === 201 && i < 3_000; i++) {
    stored.push(`w${i - 1}`)
    answer = await create(`w${i}`)
  }
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10'])
  expect(await answer.json()).toEqual({ detail: expect.stringContaining('The disk of the server') })
  for (let i = 0; i < 20; i++) expect((await create(`failing-${i}`)).status).toBe(503)
  expect(await list()).toEqual(expect.arrayContaining(stored))
  expect(server.output().match(/SQLITE_IOERR_WRITE/g), 'one line in the log for all failures').toHaveLength(1)
  expect(server.output()).not.toMatch(/^ +at /m)

  expect(spawnSync('sh', ['-c', `prlimit --pid ${server.pid} --fsize=unlimited`]).status).toBe(0)
  const after = await create('after')
  expect(after.status).toBe(201)
  const names = new Set(await list())
  expect([...stored, 'after'].filter(name => !names.has(name))).toEqual([])
  expect([...names].filter(name => name.startsWith('failing'))).toEqual([])
  await server.kill()

  const again = await startServer({ home })
  expect(new Set(await openCalls(again).list())).toEqual(names)
  expect(await again.close()).toBe(0)
})
