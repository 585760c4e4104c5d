/** An HTTP server that simulates an engine in situations that are hard to provoke in a real one. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ElasticConfig } from '../../../search-settings.ts'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Returns the response, or null to never respond. */
export type Respond = (asked: ReceivedRequest, count: number) => { status?: number; body: unknown } | null

export interface FakeEngine {
  config: ElasticConfig
  asked: ReceivedRequest[]
  close(): Promise<void>
}

export async function openFakeEngine(respond: Respond, config: Partial<ElasticConfig> = {}): Promise<FakeEngine> {
  const asked: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method = '', url: path = '', headers } = request
    asked.push({ method, path, headers, body })
    const answer = respond(asked.at(-1) as ReceivedRequest, asked.length)
    if (answer === null) return
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    asked,
    config: { ...CONFIG, url, ...config },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const CONFIG: ElasticConfig = {
  name: 'opensearch',
  url: '',
  auth: null,
  sslVerify: true,
  caPath: null,
  timeoutMs: 5_000,
  waitMs: 1_000,
  indexPrefix: 'test',
  shards: 1,
  replicas: 0,
  fieldsMax: 2_000,
}
