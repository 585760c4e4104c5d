/** A proxy between a server and its search engine that answers some requests itself, drops others, and forwards the rest. */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export interface EngineRequest {
  method: string
  /** With the query string. */
  path: string
}

export type Fault =
  /** The engine does not receive the request. */
  | { kind: 'answer'; status: number; body: object; headers?: Record<string, string> }
  /** No response until the client gives up or the proxy closes. */
  | { kind: 'hang' }
  | { kind: 'cut' }
  /** The engine handles the request, but its response is dropped. */
  | { kind: 'lose answer' }
  | { kind: 'delay'; ms: number }
  /** The request is received completely, but forwarded only then. */
  | { kind: 'hold'; until: Promise<void> }

type Rule = (request: EngineRequest) => Fault | null

export interface HttpProxy {
  url: string
  /** Decides on each request; null forwards all. */
  rule: Rule | null
  /** Number of requests with a fault. */
  faults(): number
  /** Number of requests that are currently held. */
  held(): number
  close(): Promise<void>
}

export async function openHttpProxy(target: string): Promise<HttpProxy> {
  let rule: Rule | null = null
  let faults = 0
  const holding = { count: 0 }
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, answer) => {
    const fault = rule?.({ method: incoming.method ?? '', path: incoming.url ?? '' }) ?? null
    if (fault !== null) faults++
    handle(incoming, answer, fault, { target, agent, holding }).catch(() => answer.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get rule() {
      return rule
    },
    set rule(value) {
      rule = value
    },
    faults: () => faults,
    held: () => holding.count,
    close: async () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}

interface Way {
  target: string
  agent: Agent
  holding: { count: number }
}

async function handle(incoming: IncomingMessage, answer: ServerResponse, fault: Fault | null, way: Way): Promise<void> {
  switch (fault?.kind) {
    case 'answer':
      incoming.resume()
      await once(incoming, 'end')
      answer.writeHead(fault.status, { 'content-type': 'application/json', ...ELASTIC, ...fault.headers })
      answer.end(JSON.stringify(fault.body))
      return
    case 'hang':
      incoming.resume()
      return
    case 'cut':
      answer.destroy()
      return
    case 'lose answer':
      await pass(incoming, way).then(async far => {
        far.resume()
        await once(far, 'end')
      })
      answer.destroy()
      return
    default: {
      if (fault?.kind === 'delay') await setTimeout(fault.ms)
      const far = await (fault?.kind === 'hold' ? passLate(incoming, way, fault.until) : pass(incoming, way))
      answer.writeHead(far.statusCode ?? 502, far.headers)
      far.pipe(answer)
      far.on('error', () => answer.destroy())
    }
  }
}

/** The Elasticsearch client requires this header. */
const ELASTIC = { 'x-elastic-product': 'Elasticsearch' }

async function passLate(incoming: IncomingMessage, way: Way, until: Promise<void>): Promise<IncomingMessage> {
  const body: Buffer[] = []
  for await (const chunk of incoming) body.push(chunk)
  way.holding.count++
  await until
  const far = await pass(incoming, way, Buffer.concat(body))
  way.holding.count--
  return far
}

/** Forwards the request's body, or one that was already read. */
function pass(incoming: IncomingMessage, { target, agent }: Way, body?: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const url = new URL(incoming.url ?? '/', target)
    const far = request(
      url,
      { method: incoming.method ?? 'GET', headers: { ...incoming.headers, host: url.host }, agent },
      resolve,
    )
    far.on('error', reject)
    incoming.on('error', reject)
    if (body) far.end(body)
    else incoming.pipe(far)
  })
}

/** Error responses of the engines. */
export const REFUSALS = {
  'too many requests': {
    kind: 'answer',
    status: 429,
    body: {
      error: { type: 'circuit_breaking_exception', reason: '[parent] Data too large', root_cause: [] },
      status: 429,
    },
  },
  'no cluster': {
    kind: 'answer',
    status: 503,
    body: {
      error: {
        type: 'cluster_block_exception',
        reason: 'blocked by: [SERVICE_UNAVAILABLE/1/state not recovered];',
        root_cause: [],
      },
      status: 503,
    },
  },
} satisfies Record<string, Fault>
