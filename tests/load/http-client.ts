/**
 * A minimal HTTP client: one connection, one request at a time, and only the status and the length are parsed. It shares two
 * cores with the server under test, so it must use little CPU.
 */
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  body: Buffer
}

export interface Connection {
  send(method: string, path: string, body?: string): Promise<Answer>
  close(): void
}

export function openConnection(url: string, apiKey: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null
  const reader = openReader(answer => {
    const { resolve } = waiting as NonNullable<typeof waiting>
    waiting = null
    resolve(answer)
  })
  socket.on('data', reader)
  socket.on('error', error => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('The server closed the connection')))
  const send = (method: string, path: string, body = '') =>
    new Promise<Answer>((resolve, reject) => {
      // A write to a closed socket does not emit an event.
      if (socket.destroyed) return reject(new Error('The server closed the connection'))
      waiting = { resolve, reject }
      write(socket, { method, path, host: hostname, apiKey, body })
    })
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve({ send, close: () => socket.destroy() }))
    socket.once('error', reject)
  })
}

interface OutgoingRequest {
  method: string
  path: string
  host: string
  apiKey: string
  body: string
}

function write(socket: Socket, { method, path, host, apiKey, body }: OutgoingRequest): void {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Argilla-Api-Key: ${apiKey}\r\n`
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  socket.write(`${head}${type}\r\n${body}`)
}

/** Search engines send chunked responses. Chunks are counted, but not joined, because the JSON contains no line breaks. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

function openReader(done: (answer: Answer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let received = 0
  let wanted = -1
  let bodyStart = 0
  let status = 0
  let isChunked = false
  return chunk => {
    chunks.push(chunk)
    received += chunk.length
    if (wanted < 0) {
      const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
      chunks = [bytes]
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = bytes.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      bodyStart = end + 4
      isChunked = /^transfer-encoding: chunked/im.test(head)
      wanted = bodyStart + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    }
    if (received < wanted || (isChunked && !chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK))) return
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    if (isChunked) wanted = received
    const answer = { status, body: bytes.subarray(bodyStart, wanted) }
    chunks = []
    received = 0
    wanted = -1
    done(answer)
  }
}
