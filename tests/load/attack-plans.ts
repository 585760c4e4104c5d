/** Attacks on a server, limited in time and connections. They only target the server that the benchmark started. */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface AttackTarget {
  /** URL of a server on this machine. */
  url: string
  datasetId: string
  /** API keys of the attackers. */
  keys: { outsider: string; memberAdmin: string; memberAnnotator: string }
}

/** Runs until `until` (milliseconds since the epoch). */
type Attack = (target: AttackTarget, until: number) => Promise<void>

const MIB = 1_048_576

/** Attacks by name, which says who does what. */
export const ATTACKS = {
  'anybody: large forms at sign-in': ({ url }, until) => {
    const bodies = [63, 1, 0.25, 0.007].map(size => 'a&'.repeat((size * MIB) / 2))
    return repeat(8, until, async i => {
      const body = bodies[i % bodies.length] ?? ''
      await post(url, '/api/v1/token', body, { 'content-type': 'application/x-www-form-urlencoded' })
    })
  },
  'anybody: paths of slashes': ({ url }, until) =>
    repeat(20, until, i => request(url, 'GET', i % 2 ? `${'/'.repeat(15_000)}a/` : `/api/v1/${'a/'.repeat(900)}`)),
  'anybody: half-open connections': ({ url }, until) =>
    holdConnections(url, 1_000, until, 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n'),
  'anybody: 200 sign-ins at once': ({ url }, until) =>
    repeat(200, until, i => {
      const form = `username=user-${i}-${Math.random()}&password=a-long-password`
      return post(url, '/api/v1/token', form, { 'content-type': 'application/x-www-form-urlencoded' })
    }),
  'anybody: unknown methods': ({ url }, until) => repeat(20, until, () => request(url, 'QUERY', '/api/v1/me')),
  'member: 12 unfinished uploads of 50 MiB': ({ url, datasetId, keys }, until) =>
    holdUploads(url, `/api/v1/datasets/${datasetId}/records/bulk`, keys.memberAdmin, { count: 12, bytes: 50 * MIB }, until),
  'outsider: 63 MiB of large numbers': (target, until) => sendJunk(target, target.keys.outsider, until, NUMBERS),
  'member: 63 MiB of large numbers': (target, until) => sendJunk(target, target.keys.memberAdmin, until, NUMBERS),
  'member: 30 MiB of distinct keys': (target, until) => sendJunk(target, target.keys.memberAdmin, until, DISTINCT_KEYS),
  'member: 30 fuzzy searches at once': (target, until) =>
    repeat(30, until, i =>
      search(target, Array.from({ length: 8 }, (_, word) => `mer${'ktv'[word % 3]}on${i}${word}~2`).join(' | ')),
    ),
  'member: 30 searches for 300 words at once': (target, until) =>
    repeat(30, until, i => search(target, Array.from({ length: 300 }, (_, word) => `ri${word % 7}ne${i}*`).join(' | '))),
} satisfies Record<string, Attack>

export type AttackName = keyof typeof ATTACKS

const NUMBERS = () => `{"items":[${'1e22,'.repeat((63 * MIB) / 5 - 10)}1]}`
const DISTINCT_KEYS = () => {
  const keys = Array.from({ length: (30 * MIB) / 14 }, (_, i) => `"k${i.toString(36)}":1`)
  return `{"items":[{"metadata":{${keys.join(',')}}}]}`
}

/** Repeats `count` loops in parallel. Attackers ignore refused and broken connections. */
async function repeat(count: number, until: number, send: (index: number) => Promise<unknown>): Promise<void> {
  const one = async (lane: number) => {
    for (let round = 0; Date.now() < until; round++) {
      await Promise.race([send(lane + count * round).catch(() => pause(50)), pause(Math.max(0, until - Date.now()))])
    }
  }
  await Promise.all(Array.from({ length: count }, (_, lane) => one(lane)))
}

async function sendJunk({ url, datasetId }: AttackTarget, key: string, until: number, make: () => string): Promise<void> {
  const body = Buffer.from(make())
  const send = () => post(url, `/api/v1/datasets/${datasetId}/records/bulk`, body, { 'x-argilla-api-key': key })
  await repeat(2, until, send)
}

const search = ({ url, datasetId, keys }: AttackTarget, q: string) =>
  post(url, `/api/v1/me/datasets/${datasetId}/records/search`, JSON.stringify({ query: { text: { q } } }), {
    'x-argilla-api-key': keys.memberAnnotator,
  })

const request = (url: string, method: string, path: string) =>
  exchange(url, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)

function post(url: string, path: string, body: string | Buffer, headers: Record<string, string>): Promise<void> {
  const all = { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return exchange(url, `POST ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`, body)
}

/** Sends bytes and waits until the server closes the connection. */
function exchange(url: string, head: string, body: string | Buffer = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open(url)
    socket.on('close', () => resolve())
    socket.on('error', reject)
    socket.write(head)
    socket.write(body)
    socket.resume()
  })
}

function open(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port) })
}

async function holdConnections(url: string, count: number, until: number, text: string): Promise<void> {
  const sockets = Array.from({ length: count }, () => {
    const socket = open(url)
    // The server may refuse or close any of them; the others continue.
    socket.on('error', () => socket.destroy())
    socket.write(text)
    return socket
  })
  await pause(Math.max(0, until - Date.now()))
  for (const socket of sockets) socket.destroy()
}

async function holdUploads(
  url: string,
  path: string,
  key: string,
  { count, bytes }: { count: number; bytes: number },
  until: number,
): Promise<void> {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Argilla-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`
  const body = Buffer.alloc(bytes - 1, ' ')
  const sockets = Array.from({ length: count }, () => {
    const socket = open(url)
    socket.on('error', () => socket.destroy())
    socket.resume()
    socket.write(head)
    socket.write(body)
    return socket
  })
  await pause(Math.max(0, until - Date.now()))
  for (const socket of sockets) socket.destroy()
}
