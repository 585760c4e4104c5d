/** Sends bytes over a plain socket, for requests that HTTP libraries do not send. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Target } from './target.ts'

export interface RawAnswer {
  status: number
  headers: string
  body: string
}

export interface RawConnection {
  socket: Socket
  write(bytes: string | Uint8Array): void
  /** Returns everything received so far. */
  received(): string
  /** Waits for this many responses, the end of the connection or the timeout. Returns the responses received. */
  answers(count: number, milliseconds?: number): Promise<RawAnswer[]>
  closed(): boolean
  /** Waits until the server closes the connection or the time is over. */
  ended(milliseconds?: number): Promise<boolean>
  destroy(): void
}

const opened = new Set<Socket>()

/** Closes connections that a test left open, even if it failed. */
export function closeConnections(): void {
  for (const socket of opened) socket.destroy()
  opened.clear()
}

export async function openConnection({ server }: Pick<Target, 'server'>): Promise<RawConnection> {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  opened.add(socket)
  let received = ''
  let closed = false
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {
    closed = true
  })
  socket.on('end', () => {
    closed = true
  })
  await once(socket, 'connect')
  return {
    socket,
    write: bytes => void socket.write(bytes),
    received: () => received,
    closed: () => closed,
    ended: async (milliseconds = 30_000) => {
      const end = performance.now() + milliseconds
      while (!closed && performance.now() < end) await pause(10)
      return closed
    },
    destroy: () => socket.destroy(),
    answers: async (count, milliseconds = 30_000) => {
      const end = performance.now() + milliseconds
      while (!closed && parseAnswers(received).length < count && performance.now() < end) await pause(10)
      return parseAnswers(received)
    },
  }
}

/** Parses complete responses with a declared length or an empty chunked body. */
function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  for (;;) {
    const match = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/.exec(rest)
    if (match === null) return answers
    const [head, status = '', headers = ''] = match
    const length = Number(
      /^content-length: (\d+)\r$/im.exec(headers)?.[1] ?? (/^transfer-encoding: chunked\r$/im.test(headers) ? 5 : 0),
    )
    if (rest.length < head.length + length) return answers
    answers.push({ status: Number(status), headers, body: rest.slice(head.length, head.length + length) })
    rest = rest.slice(head.length + length)
  }
}

/** Returns a request with these header lines and a host header. */
export const requestText = (line: string, headers: string[] = [], body = '') =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n')
