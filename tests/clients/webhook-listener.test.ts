/**
 * The webhook listener of the public Python SDK, unchanged: it registers itself, then receives, verifies and parses every event of a real
 * server, in order for each record; also those of a server that was killed before it could deliver them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparePythonSdk } from '../../scripts/python-sdk.ts'
import { type StartedServer, startServer } from '../server.ts'
import { byRecord, call, EVENTS, raiseEveryEvent, type SeenEvent } from './webhook-events.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LISTENER = fileURLToPath(new URL('python_sdk/webhook_listener.py', import.meta.url))
const ENV = { SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true' }

interface ListenerEvent extends SeenEvent {
  time: string
  /** Class of the object that the SDK made of the payload. */
  kind: string
}

interface Listener {
  process: ChildProcess
  port: number
  received: ListenerEvent[]
}

const folder = mkdtempSync(join(tmpdir(), 'postil-listener-'))
const home = join(folder, 'home')
let server: StartedServer
let listener: Listener

beforeAll(async () => {
  server = await startServer({ home, env: ENV })
  listener = await startListener(server)
})

afterAll(async () => {
  listener?.process.kill('SIGKILL')
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

function findPython(): string {
  const given = process.env.POSTIL_TEST_PYTHON
  if (given) return given
  const sdk = preparePythonSdk(ROOT)
  if ('reason' in sdk) throw new Error(sdk.reason)
  return sdk.python
}

async function startListener({ url, apiKey }: StartedServer): Promise<Listener> {
  const env = {
    ...process.env,
    POSTIL_TEST_URL: url,
    POSTIL_TEST_API_KEY: apiKey,
    POSTIL_TEST_EVENTS: JSON.stringify(EVENTS),
    HF_HUB_OFFLINE: '1',
    HF_HOME: folder,
    NO_PROXY: '127.0.0.1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
  }
  const child = spawn(findPython(), [LISTENER], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
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

/** As the SDK shows them: its responses have no id of their own. */
const asSeenBySdk = (events: readonly SeenEvent[]) =>
  byRecord(events.map(event => ({ ...event, id: event.recordId ?? event.id })))

/** Events are delivered at least once: the first of each. */
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
  // It accepts connections, and answers nothing until it goes on.
  listener.process.kill('SIGSTOP')
  const raised = await raiseEveryEvent(server, 'killed')
  await server.kill()
  listener.process.kill('SIGCONT')
  server = await startServer({ home, env: ENV })
  await expect.poll(() => byRecord(withoutRepeated(listener.received))).toEqual(asSeenBySdk(raised))
})
