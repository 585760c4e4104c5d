/** A server that keeps what is sent to it, for tests of what Postil sends by itself. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Collector {
  url: string
  received: Received[]
  /** Connections so far, whether or not anything was sent over them. */
  connections(): number
  close(): Promise<void>
}

/** How it answers what it has read. */
export type Answering = RequestListener

const accept: Answering = (_request, response) => void response.writeHead(204).end()

export async function openCollector(answering: Answering = accept): Promise<Collector> {
  const received: Received[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    received.push({ method, url, headers, body: await text(request).catch(() => '') })
    answering(request, response)
  })
  server.on('connection', () => void connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
