/** TCP servers for tests of outgoing requests, and requests to them. */
import net, { type AddressInfo, type Socket } from 'node:net'
import { type OutgoingOptions, type OutgoingRequest, post, type ResolvedAddress } from '../lib/outgoing.ts'

/** Called by `closeTargets`. */
export const closers: (() => void)[] = []

/** To be called after each test of a file that opens any. */
export function closeTargets(): void {
  for (const close of closers.splice(0)) close()
}

interface Target {
  port: number
  connections: number
  sockets: Set<Socket>
}

/** Opens a TCP server; `talk` gets each connection. */
export async function listen(talk: (socket: Socket) => void, host = '127.0.0.1', port = 0): Promise<Target> {
  const target: Target = { port, connections: 0, sockets: new Set() }
  const server = net.createServer(socket => {
    target.connections++
    target.sockets.add(socket)
    socket.on('error', () => {}).on('close', () => target.sockets.delete(socket))
    talk(socket)
  })
  closers.push(() => {
    server.close()
    for (const socket of target.sockets) socket.destroy()
  })
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, host, resolve))
  target.port = (server.address() as AddressInfo).port
  return target
}

/** Sends this text on each connection after the first data has arrived, and nothing more. */
export const answering = (text: string, then: 'end' | 'wait' = 'end') => {
  return (socket: Socket) => {
    socket.once('data', () => void socket.write(text, () => then === 'end' && socket.end()))
  }
}

export const send = (port: number, request: Partial<OutgoingRequest> = {}, options: Partial<OutgoingOptions> = {}) =>
  post(
    { url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', timeoutMs: 60_000, excerptBytes: 100, ...request },
    { allowPrivate: true, ...options },
  )

export const resolver = (...answers: string[][]) => {
  const names: string[] = []
  const resolve = async (name: string): Promise<ResolvedAddress[]> => {
    const answer = answers[Math.min(names.length, answers.length - 1)] ?? []
    names.push(name)
    return answer.map(address => ({ address, family: net.isIP(address) }))
  }
  return { names, resolve }
}
