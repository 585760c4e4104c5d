/** Simulates network latency: delays every byte by half a round trip in each direction. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export interface DelayProxy {
  url: string
  close(): Promise<void>
}

export async function openDelayProxy(target: string, roundTripMs: number): Promise<DelayProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const pipe = (from: Socket, to: Socket) => {
    const later = (act: () => void) => setTimeout(act, roundTripMs / 2)
    from.on('data', data => later(() => to.writable && to.write(data)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => later(() => to.destroy()))
  }
  const server = createServer(near => {
    const far = connect({ host: hostname, port: Number(port) })
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    pipe(near, far)
    pipe(far, near)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
