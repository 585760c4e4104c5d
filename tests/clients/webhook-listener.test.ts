/**
 * The unmodified webhook listener of the public Python SDK: it registers itself, then receives, verifies and parses every event
 * of a real server, in order for each record, including those of a server that was killed before delivery.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedServer, startServer } from '../server.ts'
import { findPython } from './python-runner.ts'
import { byRecord, call, EVENTS, raiseEveryEvent, type SeenEvent } from './webhook-events.ts'

const LISTENER = fileURLToPath(new URL('python_sdk/webhook_listener.py', import.meta.url))
const EXAMPLES = fileURLToPath(new URL('../../docs/guide/examples', import.meta.url))
const ENV = { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' }

interface ListenerEvent extends SeenEvent {
  time: string
  /** Class of the SDK object for the payload. */
  kind: string
}

interface Listener {
  process: ChildProcess
  port: number
  received: ListenerEvent[]
}

const folder = mkdtempSync(join(tmpdir(), 'postil-listener-'))
const home = join(folder, 'home')
const children: ChildProcess[] = []
let server: StartedServer
let listener: Listener

beforeAll(async () => {
  server = await startServer({ home, env: ENV })
  listener = await startListener(server)
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** No network access except to the server, and no files outside the test's folder. */
function startPython(args: string[], extra: Record<string, string>) {
  const env = {
    ...process.env,
    HF_HUB_OFFLINE: '1',
    HF_HOME: folder,
    NO_PROXY: '127.0.0.1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    PYTHONUTF8: '1',
    ...extra,
  }
  const child = spawn(findPython(), args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  children.push(child)
  return child
}

async function startListener({ url, apiKey }: StartedServer): Promise<Listener> {
  const settings = { POSTIL_TEST_URL: url, POSTIL_TEST_API_KEY: apiKey, POSTIL_TEST_EVENTS: JSON.stringify(EVENTS) }
  const child = startPython([LISTENER], settings)
  const received: ListenerEvent[] = []
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)))
  child.once('error', reject).once('close', code => reject(new Error(`The listener ended with code ${code}.\n${said}`)))
  createInterface({ input: child.stdout }).on('line', line => {
    const said = JSON.parse(line)
    if ('ready' in said) resolve(said.ready)
    else received.push(said)
  })
  return { process: child, port: await promise, received }
}

/** As the SDK shows them: its responses have no id. */
const asSeenBySdk = (events: readonly SeenEvent[]) =>
  byRecord(events.map(event => ({ ...event, id: event.recordId ?? event.id })))

/** Removes duplicates, because events are delivered at least once. */
function withoutRepeated(events: readonly ListenerEvent[]): ListenerEvent[] {
  const keys = events.map(({ type, id, time }) => `${type} ${id} ${time}`)
  return events.filter((_event, index) => keys.indexOf(keys[index] ?? '') === index)
}

test('the listener registers a webhook for all events', async () => {
  const { items } = await call(server, 'GET', '/webhooks')
  expect(items).toMatchObject([{ url: `http://127.0.0.1:${listener.port}/on_event`, events: EVENTS, description: 'All events' }])
})

test('receives and verifies every event, in order for each record', async () => {
  const raised = await raiseEveryEvent(server, 'listened')
  await expect.poll(() => listener.received.length).toBeGreaterThanOrEqual(raised.length)
  expect(byRecord(listener.received)).toEqual(asSeenBySdk(raised))
  expect(new Set(listener.received.map(({ type }) => type))).toEqual(new Set(EVENTS))
  const kinds = { dataset: 'Dataset', record: 'Record', response: 'UserResponse' }
  for (const { type, kind } of listener.received) expect(kind).toBe(kinds[type.split('.')[0] as keyof typeof kinds])
})

test('receives every event of a server that was killed between commit and delivery', async () => {
  listener.received.length = 0
  // The listener accepts connections but does not respond until it is resumed.
  listener.process.kill('SIGSTOP')
  const raised = await raiseEveryEvent(server, 'killed')
  await server.kill()
  expect(listener.received).toEqual([])
  listener.process.kill('SIGCONT')
  // The same port, because the SDK loads the datasets and records of events from the original URL.
  server = await startServer({ home, env: ENV, port: Number(new URL(server.url).port) })
  await expect.poll(() => byRecord(withoutRepeated(listener.received))).toEqual(asSeenBySdk(raised))
})

async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}

test('the listener of the guide receives completed records', async () => {
  const port = await findFreePort()
  const command = ['-m', 'uvicorn', '--app-dir', EXAMPLES, 'webhook-listener:server', '--port', String(port)]
  const address = `http://127.0.0.1:${port}`
  const settings = { ARGILLA_API_URL: server.url, ARGILLA_API_KEY: server.apiKey, WEBHOOK_SERVER_URL: address }
  const child = startPython(command, settings)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', line => lines.push(line))
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => said).toContain('Uvicorn running')

  await raiseEveryEvent(server, 'guide')
  await expect.poll(() => lines).toContainEqual(expect.stringMatching(/^record\.completed \S+ \S+ first$/))
})
