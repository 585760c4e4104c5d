/** `login`, `logout`, `whoami`, `info`, and common behaviour of all commands. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../server.ts'
import { FILE, failed, openPersons, type Person } from './run.ts'

const newPerson = openPersons()
let server: StartedServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

const logIn = (person: Person, ...more: string[]) =>
  person.run(['login', '--api-url', server.url, '--api-key', server.apiKey, ...more])

async function newLoggedIn(): Promise<Person> {
  const person = newPerson()
  expect(await logIn(person)).toMatchObject({ code: 0 })
  return person
}

describe('login', () => {
  test('stores what was given, readable for its owner only', async () => {
    const person = newPerson()
    const ended = await logIn(person, '--workspace', 'default', '--extra-headers', '{"X-Team": "blue"}')
    expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Logged in') })
    expect(ended.stdout).not.toContain(server.apiKey)
    expect(JSON.parse(readFileSync(person.file, 'utf8'))).toEqual({
      api_url: server.url,
      api_key: server.apiKey,
      workspace: 'default',
      extra_headers: { 'X-Team': 'blue' },
    })
    expect(statSync(person.file).mode & 0o777).toBe(0o600)
  })

  test('replaces a file that others can read by one that they cannot', async () => {
    const person = await newLoggedIn()
    chmodSync(person.file, 0o644)
    await logIn(person)
    expect(statSync(person.file).mode & 0o777).toBe(0o600)
  })

  test('asks for the key if it is not given, and does not show it', async () => {
    const person = newPerson()
    const args = ['login', '--api-url', `${server.url}/`]
    const ended = await person.run(args, { input: `${server.apiKey}\n`, isAlone: true })
    expect(ended).toMatchObject({ code: 0, stderr: 'API Key: ' })
    expect(JSON.parse(readFileSync(person.file, 'utf8'))).toMatchObject({
      api_url: server.url,
      workspace: null,
      extra_headers: {},
    })
  })

  test.runIf(existsSync('/usr/bin/script') && process.platform === 'linux')(
    'on a terminal shows colours, but not the key',
    async () => {
      const { home } = newPerson()
      // `script` provides a terminal for the command.
      const command = `'${process.execPath}' '${FILE}' login --api-url ${server.url}`
      const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm' }
      const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { env })
      let output = ''
      child.stdout.setEncoding('utf8').on('data', text => {
        output += text
      })
      const closed = once(child, 'close')
      await expect.poll(() => output).toContain('API Key: ')
      child.stdin.write(`${server.apiKey}\r`)
      expect(await closed).toEqual([0, null])
      expect(output).toContain('\u001b[32mLogged in')
      expect(output).not.toContain(server.apiKey)
    },
  )

  test('fails without an answer to the question', async () => {
    expect(await newPerson().run(['login', '--api-url', server.url])).toMatchObject(failed('Invalid parameters', '--api-key'))
  })

  test('sends the extra headers with every request', async () => {
    const seen: (string | string[] | undefined)[] = []
    const proxy = createServer(async (request, response) => {
      seen.push(request.headers['x-team'])
      const answer = await fetch(`${server.url}${request.url}`, { headers: { 'x-argilla-api-key': server.apiKey } })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const person = newPerson()
    await person.run(['login', '--api-url', url, '--api-key', 'k', '--extra-headers', '{"X-Team": "blue"}'])
    expect(await person.run(['whoami'])).toMatchObject({ code: 0 })
    proxy.close()
    expect(seen.length).toBeGreaterThan(3)
    expect(new Set(seen)).toEqual(new Set(['blue']))
  })

  test.each([
    ['not JSON', '{'],
    ['a list', '["a"]'],
    ['a number as a value', '{"a": 1}'],
    ['a line break in a value', '{"a": "b\\nc"}'],
  ])('refuses extra headers that are %s', async (_, headers) => {
    const person = newPerson()
    expect(await logIn(person, '--extra-headers', headers)).toMatchObject(failed('Extra headers error'))
    expect(existsSync(person.file)).toBe(false)
  })

  test.each([
    ['a wrong key', () => ['--api-url', server.url, '--api-key', 'wrong']],
    ['a key with a line break', () => ['--api-url', server.url, '--api-key', 'a\nb']],
    ['an unknown workspace', () => ['--api-url', server.url, '--api-key', server.apiKey, '--workspace', 'nowhere']],
    ['an address where nothing listens', () => ['--api-url', 'http://127.0.0.1:9', '--api-key', 'k']],
    ['an address that is not a URL', () => ['--api-url', 'localhost:6900', '--api-key', 'k']],
    ['an address of something else', () => ['--api-url', `${server.url}/elsewhere`, '--api-key', server.apiKey]],
  ])('fails with %s and stores nothing', async (_, args) => {
    const person = newPerson()
    const ended = await person.run(['login', ...args()])
    expect(ended).toMatchObject(failed('Login error'))
    expect(ended.stderr).toBe('')
    expect(existsSync(person.file)).toBe(false)
  })

  test('without an address is a wrong use', async () => {
    expect(await newPerson().run(['login'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--api-url') })
  })
})

describe('whoami', () => {
  test('shows the user', async () => {
    const { code, stdout } = await (await newLoggedIn()).run(['whoami'], { isAlone: true })
    expect(code).toBe(0)
    for (const words of [
      'Current User',
      '• Username: owner',
      '• Role: owner',
      '• First name: owner',
      `• API Key: ${server.apiKey}`,
    ]) {
      expect(stdout).toContain(words)
    }
    expect(stdout).toContain('• Workspaces: default')
  })

  test('answers JSON for programs', async () => {
    const ended = await (await newLoggedIn()).run(['whoami', '--json'])
    expect(ended.json()).toMatchObject({ username: 'owner', role: 'owner', workspaces: ['default'] })
  })
})

test('info shows address and versions', async () => {
  const person = await newLoggedIn()
  const { code, stdout } = await person.run(['info'], { isAlone: true })
  expect(code).toBe(0)
  expect(stdout).toContain(`• Server URL: ${server.url}`)
  expect(stdout).toMatch(/Client version: \d+\.\d+\.\d+/)
  expect(stdout).toMatch(/Server version: \d+\.\d+\.\d+ \(API 2\.8\.0\)/)
  expect(stdout).toMatch(/Search engine version: (embedded|[\d.]+ \(\w+\))/)
  expect((await person.run(['info', '--json'])).json()).toMatchObject({ api_url: server.url, api_version: '2.8.0' })
})

describe('logout', () => {
  test('deletes the credentials', async () => {
    const person = await newLoggedIn()
    expect(await person.run(['logout'], { isAlone: true })).toMatchObject({ code: 0, stdout: expect.stringContaining('Logout') })
    expect(existsSync(person.file)).toBe(false)
    expect(await person.run(['logout'])).toMatchObject(failed('Not logged in'))
  })

  test('needs the server, unless forced', async () => {
    const person = await newLoggedIn()
    writeFileSync(person.file, JSON.stringify({ api_url: 'http://127.0.0.1:9', api_key: 'k' }))
    expect(await person.run(['logout'])).toMatchObject(failed('Server not available'))
    expect(existsSync(person.file)).toBe(true)
    expect(await person.run(['logout', '--force'])).toMatchObject({ code: 0 })
    expect(existsSync(person.file)).toBe(false)
  })
})

describe('credentials', () => {
  test.each([['whoami'], ['info'], ['logout']])('%s needs them', async command => {
    const env = { SERVICE_API_URL: server.url, SERVICE_API_KEY: server.apiKey }
    expect(await newPerson().run([command], { env, isAlone: true })).toMatchObject(failed('Not logged in'))
  })

  test('of the environment are used in place of the stored ones, both or neither', async () => {
    const person = await newLoggedIn()
    writeFileSync(person.file, JSON.stringify({ api_url: 'http://127.0.0.1:9', api_key: 'k' }))
    const env = { SERVICE_API_URL: server.url, SERVICE_API_KEY: server.apiKey }
    expect(await person.run(['whoami'], { env })).toMatchObject({ code: 0 })
    const old = { ARGILLA_API_URL: server.url, ARGILLA_API_KEY: server.apiKey }
    expect(await person.run(['whoami'], { env: old })).toMatchObject({ code: 0 })
    expect(await person.run(['whoami'], { env: { SERVICE_API_URL: server.url } })).toMatchObject(
      failed('Not logged in', 'SERVICE_API_KEY is not'),
    )
  })

  test('lie in SERVICE_CACHE_DIR if it is set', async () => {
    const person = newPerson()
    const env = { SERVICE_CACHE_DIR: `${person.home}/elsewhere` }
    await person.run(['login', '--api-url', server.url, '--api-key', server.apiKey], { env })
    expect(existsSync(`${person.home}/elsewhere/credentials.json`)).toBe(true)
    expect(await person.run(['whoami'], { env })).toMatchObject({ code: 0 })
    expect(await person.run(['whoami'])).toMatchObject(failed('Not logged in'))
  })

  test('that are damaged or cannot be written are named', async () => {
    const person = await newLoggedIn()
    writeFileSync(person.file, '{"api_url": 1}')
    expect(await person.run(['whoami'])).toMatchObject(failed('Credentials error', person.file))
    writeFileSync(`${person.home}/file`, '')
    const env = { SERVICE_CACHE_DIR: `${person.home}/file/below` }
    const ended = await person.run(['login', '--api-url', server.url, '--api-key', server.apiKey], { env })
    expect(ended).toMatchObject(failed('Credentials error', 'SERVICE_CACHE_DIR'))
  })

  test('with a key that the server does not know any more are reported', async () => {
    const person = await newLoggedIn()
    writeFileSync(person.file, JSON.stringify({ api_url: server.url, api_key: 'gone' }))
    expect(await person.run(['whoami'])).toMatchObject(failed('Server not available', 'API key'))
    const ended = await person.run(['whoami', '--json'])
    expect(ended.code).toBe(1)
    expect(ended.json().error.title).toBe('Server not available')
  })
})

describe('help', () => {
  test('is what it prints without arguments, with the server package installed', async () => {
    const { code, stdout, stderr } = await newPerson().run([], { isAlone: true })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const word of ['login', 'logout', 'whoami', 'info', 'server', 'Examples:']) expect(stdout).toContain(word)
  })

  test.each([['login'], ['logout'], ['whoami'], ['info']])('of %s has examples', async command => {
    const { code, stdout } = await newPerson().run([command, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Examples:\n  postil ${command}`)
  })

  test('shows the version', async () => {
    expect(await newPerson().run(['--version'], { isAlone: true })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })

  test.each([[['nothing']], [['whoami', '--nothing']], [['whoami', 'x', '--nothing']]])('%j is a wrong use', async args => {
    const ended = await newPerson().run(args, { isAlone: true })
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('error: unknown') })
  })

  test('of the server group comes from the server', async () => {
    const { code, stdout } = await newPerson().run(['server', '--help'], { isAlone: true })
    expect(code).toBe(0)
    for (const word of ['start', 'worker', 'database', 'search-engine', 'backup']) expect(stdout).toContain(word)
  })
})
