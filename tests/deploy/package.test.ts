/** The npm packages for users who only have Node: installed into an empty folder, started, and used by a program. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pack } from '../../scripts/pack.ts'
import { packClient } from '../../scripts/pack-client.ts'

let folder: string
let server: ChildProcess | undefined
let output = ''
const env = () => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: join(folder, 'home'),
  SERVICE_HOME_PATH: join(folder, 'data'),
})

beforeAll(async () => {
  const packages = [await pack(), await packClient()]
  folder = mkdtempSync(join(tmpdir(), 'postil-package-'))
  mkdirSync(join(folder, 'home'))
  mkdirSync(join(folder, 'app'))
  // With the npm settings of this machine, which may use another registry.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]
  execFileSync('npm', args, { cwd: join(folder, 'app'), stdio: ['ignore', 'ignore', 'inherit'] })
})
afterAll(async () => {
  if (server?.exitCode === null) {
    const exited = once(server, 'exit')
    server.kill('SIGTERM')
    await exited
  }
  rmSync(folder, { recursive: true, force: true })
})

test('holds no tests, and installs only what has binaries', () => {
  const installed = readdirSync(join(folder, 'app/node_modules'), { recursive: true, encoding: 'utf8' })
  expect(installed.filter(path => path.startsWith('postil/') && /\.(test|contract)\.ts$/.test(path))).toEqual([])
  const names = readdirSync(join(folder, 'app/node_modules')).filter(name => !name.startsWith('.'))
  expect(names).toEqual(expect.arrayContaining(['@node-rs', 'better-sqlite3', 'postil']))
  expect(names.length).toBeLessThan(12)
})

test('lists what it contains', () => {
  const sbom = JSON.parse(readFileSync(join(folder, 'app/node_modules/postil/sbom.json'), 'utf8'))
  const components: { name: string; licenses: unknown[] }[] = sbom.components
  const names = components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'fastify', 'pg', 'vue']))
  expect(names).not.toContain('vitest')
})

test('has the licence text of every package that is bundled', () => {
  const root = join(folder, 'app/node_modules/postil')
  const notices = readFileSync(join(root, 'packages/web/dist/third-party-notices.txt'), 'utf8')
  const bundled = new Set<string>()
  for (const path of globSync('packages/{server,cli}/dist/*.map', { cwd: root })) {
    const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    for (const source of sources) bundled.add(/^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? '')
  }
  bundled.delete('')
  expect(bundled.size).toBeGreaterThan(50)
  const [, ...parts] = notices.split(/\n\n-{80}\n/)
  const names = parts.flatMap(part => [...(part.split(/\n-{80}\n/)[0] ?? '').matchAll(/^(\S+) \S+ \(/gm)].map(([, name]) => name))
  expect(names).toEqual(expect.arrayContaining([...bundled, 'better-sqlite3', '@node-rs/argon2', 'vue-router']))
  expect(parts.filter(part => (part.split(/\n-{80}\n/)[1] ?? '').trim().length < 200)).toEqual([])
  expect(readFileSync(join(root, 'NOTICE'), 'utf8')).toContain('packages/web/dist/third-party-notices.txt')
})

test('serves the web UI and the API, and tells how to sign in', async () => {
  const bin = join(folder, 'app/node_modules/.bin/postil')
  server = spawn(bin, ['start', '--port', '0'], { cwd: join(folder, 'app'), env: env(), stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', text => {
      output += text
    })
  }
  await expect.poll(() => output).toMatch(/Postil serves at http:/)
  const [, url = ''] = /serves at (\S+)/.exec(output) ?? []
  const [, key = ''] = /API key\s+(\S+)/.exec(output) ?? []
  const page = await fetch(url)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>Postil')
  const me = await fetch(`${url}api/v1/me`, { headers: { 'x-argilla-api-key': key } })
  expect(await me.json()).toMatchObject({ role: 'owner' })

  // The example of the client's README, in the same folder.
  const readme = readFileSync(join(folder, 'app/node_modules/@postil/client/README.md'), 'utf8')
  writeFileSync(join(folder, 'app/example.mjs'), /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  const program = { cwd: join(folder, 'app'), env: { ...env(), POSTIL_URL: url, POSTIL_API_KEY: key }, encoding: 'utf8' } as const
  const [first, ...lines] = execFileSync(process.execPath, ['example.mjs'], program).trim().split('\n')
  expect(first).toBe('3 created, 0 updated')
  expect(lines.slice(0, 3)).toEqual(['Works as promised -> good', 'Broke after a day -> bad', 'Works, but it is loud -> good'])
  // The order of search results depends on the engine.
  expect(lines.slice(3).sort()).toEqual(['found row-0', 'found row-2'])
})

test('the types of the client are complete', () => {
  const program = `import { createClient, iterateRecords } from '@postil/client'
    const client = createClient({ url: '', apiKey: '' })
    export const role: 'owner' | 'admin' | 'annotator' = (await client.getMe()).role
    // @ts-expect-error A parameter that the route does not have.
    await client.getDataset({ params: { name: 'x' } })
    for await (const { id } of iterateRecords(client, 'x')) {
      // @ts-expect-error An id is a text.
      const wrong: number = id
    }
  `
  writeFileSync(join(folder, 'app/program.mts'), program)
  const compiler = fileURLToPath(new URL('../../node_modules/typescript-7/bin/tsc', import.meta.url))
  const args = '--noEmit --strict --target es2024 --module nodenext --lib es2024,esnext,dom program.mts'.split(' ')
  execFileSync(process.execPath, [compiler, '--ignoreConfig', ...args], { cwd: join(folder, 'app'), stdio: 'inherit' })
})

test('has the commands of the server and of people', () => {
  const bin = join(folder, 'app/node_modules/.bin/postil')
  const help = execFileSync(bin, ['--help'], { encoding: 'utf8', env: env() })
  for (const command of ['server', 'datasets', 'login']) expect(help).toContain(command)
})
