/** Tests the image without a container: a server runs from only the files that the Dockerfile copies. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildCli } from '../../scripts/build-cli.ts'
import { buildServer } from '../../scripts/build-server.ts'
import { buildWeb } from '../../scripts/build-web.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
/** Lines of the last stage. */
const lines = (dockerfile.split(/^FROM /m).at(-1) ?? '').split('\n')
const listOf = (word: string) => JSON.parse(lines.find(line => line.startsWith(word))?.slice(word.length) ?? '[]') as string[]

let folder: string
let app: string
let server: ChildProcess
let output = ''
beforeAll(async () => {
  await buildWeb()
  await buildServer()
  await buildCli()
  folder = mkdtempSync(join(tmpdir(), 'postil-image-'))
  app = join(folder, 'app')
  mkdirSync(join(folder, 'data'))
  for (const line of lines) copy(line)
  const inApp = (args: string[]) => args.map(arg => arg.replace(/^\/app\//, `${app}/`))
  const [, ...args] = inApp([...listOf('ENTRYPOINT '), ...listOf('CMD '), '--port', '0'])
  const env = { PATH: '', SERVICE_HOME_PATH: join(folder, 'data'), USERNAME: 'owner', PASSWORD: 'owner-password' }
  server = spawn(process.execPath, args, { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', text => {
      output += text
    })
  }
})
afterAll(async () => {
  if (server?.exitCode === null) {
    const exited = once(server, 'exit')
    server.kill('SIGTERM')
    await exited
  }
  rmSync(folder, { recursive: true, force: true })
})

/** `COPY --from=build /app/<source>… <target>` with Docker's rules: the contents of a folder, or a file into a folder. */
function copy(line: string): void {
  const [word, from, ...paths] = line.split(' ')
  if (word !== 'COPY' || from !== '--from=build') return
  const target = join(app, paths.pop() ?? '')
  for (const path of paths.map(path => join(ROOT, path.replace(/^\/app\//, '')))) {
    const isFile = /\.\w+$|\/[A-Z]+$/.test(path)
    cpSync(path, isFile ? join(target, basename(path)) : target, { recursive: true, dereference: true })
  }
}

test.each(['server', 'cli'])('%s imports no package that is not copied', name => {
  const dist = join(app, 'packages', name, 'dist')
  const text = readdirSync(dist)
    .filter(name => name.endsWith('.js'))
    .map(name => readFileSync(join(dist, name), 'utf8'))
    .join('\n')
    // Comments also contain package names.
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
  const imported = text.matchAll(/(?:^import (?:[^;]*? from )?|\bimport\()["']([^."'][^"']*)["']/gm)
  const packages = new Set([...imported].map(([, name = '']) => name).filter(name => !isBuiltin(name)))
  expect([...packages].filter(name => !existsSync(join(app, 'node_modules', name)))).toEqual([])
  expect(packages.has('better-sqlite3')).toBe(name === 'server')
})

async function waitForUrl(): Promise<string> {
  await expect.poll(() => server.exitCode !== null || output.includes('Postil serves at'), { timeout: 300_000 }).toBe(true)
  const url = /Postil serves at (\S+?)\/?\n/.exec(output)?.[1]
  if (url === undefined) throw new Error(`The server ended. It printed:\n${output}`)
  return url
}

test('serves the API and the web UI, checks passwords and passes its own health check', async () => {
  const url = await waitForUrl()
  const page = await fetch(`${url}/`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  const body = new URLSearchParams({ username: 'owner', password: 'owner-password' })
  expect((await fetch(`${url}/api/v1/token`, { method: 'POST', body })).status).toBe(201)

  const check = promisify(execFile)(process.execPath, [join(app, 'deploy/healthcheck.mjs')], {
    env: { SERVICE_PORT: new URL(url).port },
  })
  expect(JSON.parse((await check).stdout)).toMatchObject({ status: 'ready' })
  const wrong = promisify(execFile)(process.execPath, [join(app, 'deploy/healthcheck.mjs')], { env: { SERVICE_PORT: '9' } })
  await expect(wrong).rejects.toMatchObject({ code: 1 })
})

test('`postil` is on PATH, has the commands of the server and logs in to it', async () => {
  const [, target = '', link = ''] = /ln -s (\S+) (\S+)/.exec(dockerfile) ?? []
  expect(link).toBe('/usr/local/bin/postil')
  mkdirSync(join(folder, 'bin'))
  const postil = join(folder, 'bin', 'postil')
  const file = target.replace(/^\/app\//, `${app}/`)
  chmodSync(file, 0o755)
  symlinkSync(file, postil)
  const env = { PATH: dirname(process.execPath), SERVICE_CACHE_DIR: join(folder, 'data', 'cache') }
  const run = async (...args: string[]) => (await promisify(execFile)(postil, args, { env, cwd: '/' })).stdout
  expect(await run('--help')).toMatch(/datasets[\s\S]*server/)
  expect(await run('server', '--help')).toContain('backup')

  const url = await waitForUrl()
  const body = new URLSearchParams({ username: 'owner', password: 'owner-password' })
  const token = ((await (await fetch(`${url}/api/v1/token`, { method: 'POST', body })).json()) as { access_token: string })
    .access_token
  const me = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  const { api_key } = (await me.json()) as { api_key: string }
  expect(await run('login', '--api-url', url, '--api-key', api_key)).toContain('Logged in')
  expect(await run('whoami')).toContain('Username: owner')
})
