import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../../../tests/server.ts'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))

let server: StartedServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

test('the example of the README runs', async () => {
  const example = /```js\n([\s\S]*?)```/.exec(readFileSync(`${FOLDER}/README.md`, 'utf8'))?.[1] ?? ''
  expect(example).toContain('http://localhost:6900')
  const code = example.replace('http://localhost:6900', server.url)
  const node = ['--input-type=module', '--eval', code]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, node, { cwd: FOLDER, timeout: 240_000 })
  expect(stderr).toBe('')
  const [first, ...others] = stdout.trim().split('\n')
  expect(first).toBe('3 created, 0 updated')
  expect(others.slice(0, 3)).toEqual(['Works as promised -> good', 'Broke after a day -> bad', 'Works, but it is loud -> good'])
  // The order of search results depends on the engine.
  expect(others.slice(3).sort()).toEqual(['found row-0', 'found row-2'])
})
