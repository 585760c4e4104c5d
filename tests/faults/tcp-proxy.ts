/** A TCP proxy that can be slow, cut connections, refuse new ones or stop forwarding bytes. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  /** The target's URL with the address of this proxy. */
  url: string
  /** Delay of each byte, in each direction. */
  delayMs: number
  /** Closes all connections, like a router that restarts. New ones are accepted. */
  cut(): void
  /** Closes open connections and refuses new ones. */
  refuse(): void
  /** Connections stay open, but no bytes arrive. Bytes sent meanwhile are dropped at `resume`. */
  hang(): void
  resume(): void
  close(): Promise<void>
}

type State = 'open' | 'refusing' | 'hanging'

export async function openTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let state: State = 'open'
  let delayMs = 0
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const pipe = (from: Socket, to: Socket) => {
    const later = (act: () => void) => (delayMs === 0 ? act() : void setTimeout(act, delayMs))
    from.on('data', data => state === 'open' && later(() => to.writable && to.write(data)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => later(() => to.destroy()))
  }
  const server = createServer({ noDelay: true }, near => {
    sockets.add(near)
    near.on('close', () => sockets.delete(near)).on('error', () => near.destroy())
    if (state === 'refusing') return void near.destroy()
    if (state === 'hanging') return
    const far = connect({ host: hostname, port: Number(port), noDelay: true })
    sockets.add(far)
    far.on('close', () => sockets.delete(far))
    pipe(near, far)
    pipe(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href.replace(/\/$/, ''),
    get delayMs() {
      return delayMs
    },
    set delayMs(value) {
      delayMs = value
    },
    cut,
    refuse: () => {
      state = 'refusing'
      cut()
    },
    hang: () => {
      state = 'hanging'
    },
    resume: () => {
      // Connections that were hanging have lost bytes, so they cannot continue.
      if (state === 'hanging') cut()
      state = 'open'
    },
    close: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
