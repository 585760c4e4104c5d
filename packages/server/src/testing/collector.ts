/** A server that records its requests, for tests of requests that Postil sends. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Collector {
  url: string
  received: ReceivedRequest[]
  /** Number of connections so far, including those without a request. */
  connections(): number
  close(): Promise<void>
}

/** Responds to a request that was read. */
export type RequestHandler = RequestListener

const accept: RequestHandler = (_request, response) => void response.writeHead(204).end()

export async function openCollector(answering: RequestHandler = accept): Promise<Collector> {
  const received: ReceivedRequest[] = []
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
