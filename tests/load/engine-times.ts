/**
 * What a search takes beside the engine's own time. A proxy notes the requests that a server sends to its engine for each search. Then, by
 * turns, the same searches go to the server and the noted requests to the engine, so that both meet the same machine.
 */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Deployment } from './combinations.ts'
import { type Connection, openConnection } from './http-client.ts'
import { check, quantiles } from './measure.ts'
import type { Bench } from './steps.ts'
import { isSearch, listComparedReads } from './workload.ts'

export interface EngineFigure {
  step: string
  p50_ms: number
  p95_ms: number
  engine_p50_ms: number
  engine_p95_ms: number
}

interface Noted {
  method: string
  path: string
  body: string
}

/** Different requests of a step, which come again and again. */
const NOTED = 10
const ROUNDS = 10
const WARMUP = 20

export async function measureEngineTimes(deployment: Deployment, bench: Bench, requests: number): Promise<EngineFigure[]> {
  const engineUrl = deployment.engine?.url
  if (engineUrl === undefined) return []
  const noted = await noteRequests(deployment, bench, engineUrl)
  await deployment.restart()
  const server = await openConnection(deployment.target.url, deployment.target.apiKey)
  const engine = await openConnection(engineUrl, '')
  const figures: EngineFigure[] = []
  for (const { step, send } of listSearches(deployment, bench)) {
    const sent = noted.get(step) ?? []
    const [times, engineTimes]: [number[], number[]] = [[], []]
    for (let round = 0; round <= ROUNDS; round++) {
      const count = round === 0 ? WARMUP : Math.ceil(requests / ROUNDS)
      const ours = await time(count, async i => void check(await send(server, i)))
      const own = await time(count, i => replay(engine, sent[i % sent.length] ?? []))
      // The first round warms up.
      if (round > 0) {
        times.push(...ours)
        engineTimes.push(...own)
      }
    }
    const { p50_ms: engine_p50_ms, p95_ms: engine_p95_ms } = quantiles(engineTimes)
    figures.push({ step, ...quantiles(times), engine_p50_ms, engine_p95_ms })
  }
  server.close()
  engine.close()
  return figures
}

const listSearches = (deployment: Deployment, bench: Bench) =>
  listComparedReads({ ...bench, target: deployment.target }).filter(({ step }) => isSearch(step))

async function time(count: number, work: (index: number) => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    await work(i)
    times.push(performance.now() - start)
  }
  return times
}

async function replay(connection: Connection, requests: readonly Noted[]): Promise<void> {
  for (const { method, path, body } of requests) check(await connection.send(method, path, body))
}

/** For each step some searches, each with what the engine was asked. */
async function noteRequests(deployment: Deployment, bench: Bench, engineUrl: string): Promise<Map<string, Noted[][]>> {
  let current: Noted[] = []
  const proxy = await listen(engineUrl, noted => current.push(noted))
  try {
    await deployment.restart({ SERVICE_ELASTICSEARCH: proxy.url })
    const connection = await openConnection(deployment.target.url, deployment.target.apiKey)
    const steps = new Map<string, Noted[][]>()
    for (const { step, send } of listSearches(deployment, bench)) {
      const searches: Noted[][] = []
      // The first one may also ask for settings of the index.
      for (let i = -1; i < NOTED; i++) {
        current = []
        check(await send(connection, Math.max(0, i)))
        if (i >= 0) searches.push(current)
      }
      steps.set(step, searches)
    }
    connection.close()
    return steps
  } finally {
    await deployment.restart()
    proxy.close()
  }
}

/** Forwards everything, and notes searches and counts. */
async function listen(target: string, note: (noted: Noted) => void): Promise<{ url: string; close(): void }> {
  const server = createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { method = 'GET', url: path = '/' } = incoming
    if (/\/_m?(search|count)\b/.test(path)) note({ method, path, body: body.toString() })
    const { hostname, port } = new URL(target)
    const sent = forward({ hostname, port, method, path, headers: incoming.headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    sent.on('error', () => outgoing.destroy())
    sent.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
