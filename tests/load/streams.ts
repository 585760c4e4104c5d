/**
 * Cost of idle event streams: many readers have a dataset open while one user submits responses to it.
 *
 * A user may have six streams, so the readers are many users. The permissions of each are checked again before anything is sent.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { MeasuredDataset } from './dataset.ts'
import { openConnection } from './http-client.ts'
import { check, quantiles, type Target } from './measure.ts'
import { memoryMb, processCpuMs } from './processor.ts'
import { ANSWER } from './steps.ts'

const STREAMS_OF_USER = 6
/** Number of streams opened concurrently. */
const OPENED_AT_ONCE = 20
const SETTLE_MS = 3_000
/** Longer than the interval between two heartbeats of the server. */
const IDLE_MS = 21_000
/** Interval between submits, because users do not send them in a tight loop. */
const SUBMIT_EVERY_MS = 50
const SUBMITS = 100

export interface StreamFigures {
  streams: number
  memory_before_mb: number
  memory_after_mb: number
  kb_per_stream: number
  /** CPU use of the server for all streams without writes: heartbeats and permission checks. */
  idle_cpu_percent: number
  submit_before: Latency
  submit_during: Latency
  /** Number of streams that received the submits. */
  reached: number
  /** CPU use of the server while one user submits every 50 ms. */
  busy_cpu_percent: number
}

interface Latency {
  p50_ms: number
  p95_ms: number
}

interface StreamTarget extends Target {
  pid: number
}

/** `recordIds` are records without a response, at least twice `SUBMITS`. */
export async function measureStreams(
  server: StreamTarget,
  dataset: MeasuredDataset,
  count: number,
  recordIds: string[],
): Promise<StreamFigures> {
  const keys = await createReaders(server, dataset, Math.ceil(count / STREAMS_OF_USER))
  const submitBefore = await submitNowAndThen(server, recordIds.splice(0, SUBMITS))
  await pause(SETTLE_MS)
  const before = memoryMb(server.pid).now
  const streams = await openStreams(server, dataset.id, keys, count)
  try {
    await pause(SETTLE_MS)
    const after = memoryMb(server.pid).now
    const idle = await processorShare(server.pid, () => pause(IDLE_MS))
    const seen = streams.map(({ bytes }) => bytes())
    let submitDuring: Latency = { p50_ms: Number.NaN, p95_ms: Number.NaN }
    const busy = await processorShare(server.pid, async () => {
      submitDuring = await submitNowAndThen(server, recordIds.splice(0, SUBMITS))
    })
    await pause(2 * SETTLE_MS)
    return {
      streams: count,
      memory_before_mb: before,
      memory_after_mb: after,
      kb_per_stream: ((after - before) * 1024) / count,
      idle_cpu_percent: idle,
      submit_before: submitBefore,
      submit_during: submitDuring,
      reached: streams.filter(({ bytes, isOpen }, index) => isOpen() && bytes() > (seen[index] ?? 0)).length,
      busy_cpu_percent: busy,
    }
  } finally {
    for (const { close } of streams) close()
  }
}

async function processorShare(pid: number, work: () => Promise<unknown>): Promise<number> {
  const [start, before] = [performance.now(), processCpuMs(pid)]
  await work()
  return (100 * (processCpuMs(pid) - before)) / (performance.now() - start)
}

async function submitNowAndThen(target: Target, ids: readonly string[]): Promise<Latency> {
  const connection = await openConnection(target.url, target.apiKey)
  const times: number[] = []
  for (const id of ids) {
    const start = performance.now()
    check(await connection.send('POST', `/api/v1/records/${id}/responses`, ANSWER))
    times.push(performance.now() - start)
    await pause(SUBMIT_EVERY_MS)
  }
  connection.close()
  return quantiles(times)
}

/** Creates annotators in the dataset's workspace and returns their API keys. */
async function createReaders(server: Target, dataset: MeasuredDataset, count: number): Promise<string[]> {
  const connection = await openConnection(server.url, server.apiKey)
  const call = async <T>(method: string, path: string, body?: object): Promise<T> =>
    JSON.parse(check(await connection.send(method, `/api/v1${path}`, body && JSON.stringify(body))).body.toString()) as T
  const { workspace_id } = await call<{ workspace_id: string }>('GET', `/datasets/${dataset.id}`)
  const keys: string[] = []
  for (let number = 1; number <= count; number++) {
    const user = { username: `reader-${number}`, first_name: 'Reader', role: 'annotator', password: 'a long password' }
    const { id, api_key } = await call<{ id: string; api_key: string }>('POST', '/users', user)
    await call('POST', `/workspaces/${workspace_id}/users`, { user_id: id })
    keys.push(api_key)
  }
  connection.close()
  return keys
}

interface OpenStream {
  bytes(): number
  isOpen(): boolean
  close(): void
}

async function openStreams(target: Target, datasetId: string, keys: readonly string[], count: number): Promise<OpenStream[]> {
  const opened: OpenStream[] = []
  let next = 0
  const openSome = async () => {
    for (let index = next++; index < count; index = next++) {
      opened.push(await openStream(target.url, `/api/v1/me/datasets/${datasetId}/events`, keys[index % keys.length] ?? ''))
    }
  }
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openSome))
  return opened
}

/** Resolves after the first event. Later events are counted and dropped. */
function openStream(url: string, path: string, apiKey: string): Promise<OpenStream> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port) })
  let bytes = 0
  const stream = { bytes: () => bytes, isOpen: () => !socket.destroyed && !socket.readableEnded, close: () => socket.destroy() }
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed an event stream')))
    let head = ''
    const readHead = (chunk: Buffer) => {
      head += chunk.toString('latin1')
      const status = /^HTTP\/1\.1 (\d+)/.exec(head)?.[1]
      if (status !== undefined && status !== '200')
        return reject(new Error(`An event stream was answered: ${head.slice(0, 500)}`))
      if (!head.includes('event: progress')) return
      socket.off('data', readHead)
      resolve(stream)
    }
    socket.on('data', readHead)
    socket.on('data', chunk => {
      bytes += chunk.length
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nX-Argilla-Api-Key: ${apiKey}\r\nAccept: text/event-stream\r\n\r\n`)
  })
}
