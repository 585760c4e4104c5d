/** The receivers in docs/guide/webhooks.md, run unchanged with events of a real server and with forged ones. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../server.ts'
import { call, EVENTS, raiseEveryEvent } from './webhook-events.ts'

const GUIDE = fileURLToPath(new URL('../../docs/guide/', import.meta.url))

const RECEIVERS = [
  { file: 'webhook-receiver.ts', language: 'ts', command: process.execPath },
  { file: 'webhook-receiver.py', language: 'python', command: 'python3' },
]

let server: StartedServer
const children: ChildProcess[] = []

beforeAll(async () => {
  server = await startServer({ env: { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' } })
})

afterAll(async () => {
  for (const child of children) child.kill()
  await server?.close()
})

interface Receiver {
  url: string
  /** Printed lines, one per event. */
  lines: string[]
}

/** Starts a receiver with the webhook's secret on a free port. */
async function startReceiver(command: string, file: string, secret: string): Promise<Receiver> {
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: '0' }
  const child = spawn(command, [`${GUIDE}examples/${file}`], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('error', reject).once('exit', code => reject(new Error(`${file} ended with code ${code}`)))
  createInterface({ input: child.stdout }).on('line', line => {
    const port = /^listening (\d+)$/.exec(line)?.[1]
    if (port === undefined) lines.push(line)
    else resolve(port)
  })
  return { url: `http://127.0.0.1:${await promise}/`, lines }
}

const sign = (secret: string, id: string, timestamp: string, body: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${body}`).digest('base64')}`

describe.each(RECEIVERS)('$file', ({ file, language, command }) => {
  let webhook: { id: string; secret: string }
  let receiver: Receiver

  beforeAll(async () => {
    // Placeholder URL: the receiver needs the secret first, and the webhook needs the receiver's port.
    webhook = await call(server, 'POST', '/webhooks', { url: 'http://127.0.0.1:9/', events: EVENTS })
    receiver = await startReceiver(command, file, webhook.secret)
    await call(server, 'PATCH', `/webhooks/${webhook.id}`, { url: receiver.url })
  })

  afterAll(() => call(server, 'DELETE', `/webhooks/${webhook.id}`))

  test('is shown in the guide', () => {
    const code = readFileSync(`${GUIDE}examples/${file}`, 'utf8')
    expect(readFileSync(`${GUIDE}webhooks.md`, 'utf8')).toContain(`\`\`\`${language}\n${code}\`\`\``)
  })

  test('receives every event', async () => {
    const raised = await raiseEveryEvent(server, file)
    const wanted = raised.map(({ type, id }) => `${type} ${id}`).sort()
    const received = () => receiver.lines.map(line => line.replace(/ \S+Z /, ' ')).sort()
    await expect.poll(received).toEqual(wanted)
  })

  test('still receives events after the secret was replaced, with the old secret', async () => {
    receiver.lines.length = 0
    await call(server, 'POST', `/webhooks/${webhook.id}/secret`)
    const raised = await raiseEveryEvent(server, `${file}-rotated`)
    await expect.poll(() => receiver.lines.length).toBe(raised.length)
  })

  describe('refuses', () => {
    const toBody = (id: string) =>
      JSON.stringify({ type: 'record.deleted', version: 1, timestamp: '2026-01-05T09:12:44.120031Z', data: { id } })
    const body = toBody('x')
    const now = () => Math.floor(Date.now() / 1000)
    const send = (headers: Record<string, string>, sent = body) =>
      fetch(receiver.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: sent })
    const signed = (timestamp: string, secret = webhook.secret, sent = body) => ({
      'webhook-id': 'msg_a',
      'webhook-timestamp': timestamp,
      'webhook-signature': sign(secret, 'msg_a', timestamp, sent),
    })

    test('but accepts a genuine request', async () => {
      expect((await send(signed(String(now())))).status).toBe(204)
      const pair = { ...signed(String(now())), 'webhook-signature': `v1,AAAA ${signed(String(now()))['webhook-signature']}` }
      expect((await send(pair)).status).toBe(204)
    })

    const other = Buffer.alloc(64, 7).toString('base64')
    test.each<{ about: string; headers: () => Record<string, string>; sent?: string }>([
      { about: 'no headers', headers: () => ({}) },
      { about: 'a signature with another secret', headers: () => signed(String(now()), other) },
      { about: 'a changed body', headers: () => signed(String(now())), sent: body.replace('"x"', '"y"') },
      { about: 'another message id', headers: () => ({ ...signed(String(now())), 'webhook-id': 'msg_b' }) },
      { about: 'another time', headers: () => ({ ...signed(String(now())), 'webhook-timestamp': String(now() - 9) }) },
      { about: 'an old request', headers: () => signed(String(now() - 1000)) },
      { about: 'a request of the future', headers: () => signed(String(now() + 1000)) },
      { about: 'a time that is not a number', headers: () => signed('NaN') },
      { about: 'an empty signature', headers: () => ({ ...signed(String(now())), 'webhook-signature': '' }) },
      {
        about: 'a signature of another version',
        headers: () => {
          const headers = signed(String(now()))
          return { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') }
        },
      },
      {
        about: 'a signature that is cut off',
        headers: () => {
          const headers = signed(String(now()))
          return { ...headers, 'webhook-signature': headers['webhook-signature'].slice(0, 20) }
        },
      },
    ])('$about', async ({ headers, sent }) => {
      expect((await send(headers(), sent)).status).toBe(401)
    })

    test('and does nothing with what it refuses', async () => {
      const last = toBody('last')
      expect((await send(signed(String(now()), webhook.secret, last), last)).status).toBe(204)
      // This line is printed last.
      await expect.poll(() => receiver.lines.some(line => line.endsWith(' last'))).toBe(true)
      expect(receiver.lines.filter(line => / (x|y)$/.test(line))).toHaveLength(2)
    })
  })
})

test('the listener of the SDK is shown in the guide', () => {
  const code = readFileSync(`${GUIDE}examples/webhook-listener.py`, 'utf8')
  expect(readFileSync(`${GUIDE}webhooks.md`, 'utf8')).toContain(`\`\`\`python\n${code}\`\`\``)
})
