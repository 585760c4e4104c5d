/** Common behaviour of all commands: help, credentials, and server errors. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createDatasetWithSettings } from '@postil/client'
import type { CommandTree } from '@postil/terminal/command-tree'
import { describeCommands } from '@postil/terminal/command-tree'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram } from '../../packages/cli/src/program.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openProxy, type StartedProxy } from './proxy.ts'
import { type CommandResult, FILE, failed, openPersons, type Person } from './run.ts'

const newPerson = openPersons()
let on: Fixture
let file: string
/** Requests that start with this text fail. */
let broken: string | null = null
let proxy: StartedProxy
let viaProxy: Person
/** Each waits two seconds for a server, so all are started at once. */
let withoutServer: Map<string, Promise<CommandResult>>
beforeAll(async () => {
  on = await openFixture(newPerson)
  await createDatasetWithSettings(on.client, {
    workspace: 'default',
    name: 'd',
    fields: [{ name: 'text', required: true, settings: { type: 'text' } }],
    questions: [{ name: 'comment', required: true, settings: { type: 'text' } }],
  })
  file = `${on.owner.home}/d.jsonl`
  expect(await on.owner.run(['datasets', '--name', 'd', 'export', file])).toMatchObject({ code: 0 })
  writeFileSync(file, '{"fields": {"text": "one"}}\n', { flag: 'a' })
  proxy = await openProxy(on.server.url, async ({ method, path }) => broken === null || !`${method} ${path}`.startsWith(broken))
  viaProxy = newPerson()
  expect(await viaProxy.run(['login', '--api-url', proxy.url, '--api-key', on.server.apiKey])).toMatchObject({ code: 0 })
  const runAlone = (args: readonly string[]) =>
    store(newPerson(), 'http://127.0.0.1:9', 'key').run(withFile(args), { isAlone: true })
  withoutServer = new Map(named.map(({ name, args }) => [name, runAlone(args)]))
})
afterAll(async () => {
  proxy?.close()
  await on?.close()
})

/** Commands that need a login, and the first request of each that can fail after the login. */
const COMMANDS: { args: string[]; request?: string; title?: string }[] = [
  { args: ['logout'] },
  { args: ['whoami'] },
  { args: ['info'] },
  { args: ['workspaces', 'list'] },
  { args: ['workspaces', 'create', 'new'], request: 'POST /api/v1/workspaces' },
  { args: ['workspaces', '--name', 'default', 'add-user', 'ann'], request: 'POST /api/v1/workspaces/' },
  { args: ['workspaces', '--name', 'default', 'delete-user', 'ann'], request: 'DELETE /api/v1/workspaces/' },
  { args: ['users', 'list'], request: 'GET /api/v1/users' },
  { args: ['users', 'create', '--username', 'new', '--password', 'long enough'], request: 'POST /api/v1/users' },
  { args: ['users', '--username', 'ann', 'update', '--role', 'admin'], request: 'PATCH /api/v1/users/' },
  { args: ['users', '--username', 'ann', 'delete'], request: 'DELETE /api/v1/users/' },
  { args: ['datasets', 'list'], request: 'GET /api/v1/me/datasets' },
  { args: ['datasets', '--name', 'd', 'delete'], request: 'DELETE /api/v1/datasets/' },
  { args: ['datasets', '--name', 'd', 'export', 'none.jsonl'], request: 'GET /api/v1/datasets/', title: 'Export error' },
  {
    args: ['datasets', 'import', 'FILE', '--workspace', 'default', '--name', 'new'],
    request: 'POST /api/v1/',
    title: 'Import error',
  },
  {
    args: ['datasets', '--name', 'd', 'push-to-hub', '--repo-id', 'team/d', '--token', 'hf_token'],
    request: 'GET /api/v1/datasets/',
  },
]
const named = COMMANDS.map(command => ({ ...command, name: command.args.join(' ') }))
const withFile = (args: readonly string[]) => args.map(arg => (arg === 'FILE' ? file : arg))

function store(person: Person, apiUrl: string, apiKey: string): Person {
  mkdirSync(dirname(person.file), { recursive: true })
  writeFileSync(person.file, JSON.stringify({ api_url: apiUrl, api_key: apiKey, workspace: null, extra_headers: {} }))
  return person
}

describe.each(named)('$name', ({ name, args, request, title = 'Unexpected error' }) => {
  test('needs a login, a valid key and a server', async () => {
    const given = withFile(args)
    expect(await newPerson().run(given)).toMatchObject(failed('Not logged in'))
    const wrong = await store(newPerson(), on.server.url, 'wrong-key').run([...given, '--json'])
    expect(wrong).toMatchObject({ code: 1, stderr: '' })
    expect(wrong.json()).toEqual({ error: { title: 'Server not available', message: expect.stringContaining('API key') } })
    expect(await withoutServer.get(name)).toMatchObject(failed('Server not available'))
  })

  if (request !== undefined)
    test('reports an answer that it does not expect, and changes nothing', async () => {
      const count = async () => [
        (await on.client.listUsers()).items.map(({ username, role }) => `${username} ${role}`),
        (await on.client.listMyWorkspaces()).items.map(({ name }) => name),
        (await on.client.listMyDatasets()).items.map(({ name }) => name),
      ]
      const before = await count()
      broken = request
      const ended = await viaProxy.run(withFile(args)).finally(() => {
        broken = null
      })
      expect(ended).toMatchObject(failed(title, '502'))
      expect(await count()).toEqual(before)
    })
})

/** Lists every command that is not a group, as words. */
function listCommands({ name, commands }: CommandTree, before: string[]): string[][] {
  const path = name === 'postil' ? before : [...before, name]
  return commands.length === 0 ? [path] : commands.flatMap(command => listCommands(command, path))
}

test('every command has help with a description and examples, and all that need a login are above', async () => {
  const own = listCommands(describeCommands(buildProgram({ server: null })), [])
  const described = spawnSync(process.execPath, [FILE, 'server', 'describe-commands'], { encoding: 'utf8' })
  const ofServer = listCommands(JSON.parse(described.stdout), []).filter(path => !path.includes('describe-commands'))
  expect(ofServer.length).toBeGreaterThan(12)
  for (const path of [...own, ...ofServer]) {
    const { code, stdout } = await newPerson().run([...path, '--help'])
    expect({ path, code, stdout }).toEqual({
      path,
      code: 0,
      stdout: expect.stringMatching(/^Usage: postil [\s\S]*\n\n\w[\s\S]*\n\nExamples:\n {2}postil /),
    })
  }
  const words = (args: readonly string[]) => args.filter(arg => /^[a-z-]+$/.test(arg) && !arg.startsWith('--'))
  const missing = own.filter(path => !COMMANDS.some(({ args }) => path.every(word => words(args).includes(word))))
  expect(missing.map(path => path.join(' ')).filter(name => !NEEDS_NO_LOGIN.includes(name))).toEqual([])
})

const NEEDS_NO_LOGIN = ['login', 'completion']
