/** A network that can be slow, cut connections, refuse new ones or stop carrying bytes. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  /** The target's URL with this address instead. */
  url: string
  /** Each byte arrives so much later, in each direction. */
  delayMs: number
  /** Ends all connections at once, as a router that forgets them. New ones can be made. */
  cut(): void
  /** New connections are ended at once, and those that are open too. */
  refuse(): void
  /** Connections stay open, and nothing arrives: the worst that a network does. What was sent meanwhile is lost with `resume`. */
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
      // Bytes are missing in what hung, so it cannot go on.
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
