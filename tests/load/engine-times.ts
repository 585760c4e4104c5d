/**
 * Overhead of a search beyond the engine's own time. A proxy records the requests that a server sends to its engine for each
 * search. Then each search is sent to the server and, directly afterwards, its recorded requests to the engine, so that both run
 * under the same conditions.
 */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
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

interface RecordedRequest {
  method: string
  path: string
  body: string
}

/** Number of different requests in a step, which are repeated. */
const RECORDED_MAX = 10
/** Number of unmeasured searches: a new server compiles its code during the first searches, and the engine's caches are cold. */
const WARMUP = 100

export async function measureEngineTimes(deployment: Deployment, bench: Bench, requests: number): Promise<EngineFigure[]> {
  const engineUrl = deployment.engine?.url
  if (engineUrl === undefined) return []
  const noted = await recordRequests(deployment, bench, engineUrl)
  await awaitMerges(engineUrl)
  const server = await openConnection(deployment.target.url, deployment.target.apiKey)
  const engine = await openConnection(engineUrl, '')
  const figures: EngineFigure[] = []
  for (const { step, send } of listSearches(deployment, bench)) {
    const sent = noted.get(step) ?? []
    const [times, engineTimes]: [number[], number[]] = [[], []]
    for (let i = 0; i < WARMUP + requests; i++) {
      const ours = await time(async () => void check(await send(server, i % RECORDED_MAX)))
      const own = await time(() => replay(engine, sent[i % RECORDED_MAX] ?? []))
      if (i < WARMUP) continue
      times.push(ours)
      engineTimes.push(own)
    }
    const { p50_ms: engine_p50_ms, p95_ms: engine_p95_ms } = quantiles(engineTimes)
    figures.push({ step, ...quantiles(times), engine_p50_ms, engine_p95_ms })
  }
  server.close()
  engine.close()
  return figures
}

const MERGES_MS_MAX = 120_000
const MERGES_POLL_MS = 500

/** Submits leave small segments, which the engine merges for a few seconds. */
async function awaitMerges(engineUrl: string): Promise<void> {
  const end = performance.now() + MERGES_MS_MAX
  for (let quiet = 0; quiet < 4 && performance.now() < end; ) {
    const answer = await fetch(`${engineUrl}/_stats/merge?filter_path=_all.total.merges.current`)
    const { _all } = (await answer.json()) as { _all: { total: { merges: { current: number } } } }
    quiet = _all.total.merges.current === 0 ? quiet + 1 : 0
    await setTimeout(MERGES_POLL_MS)
  }
}

const listSearches = (deployment: Deployment, bench: Bench) =>
  listComparedReads({ ...bench, target: deployment.target }).filter(({ step }) => isSearch(step))

async function time(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function replay(connection: Connection, requests: readonly RecordedRequest[]): Promise<void> {
  for (const { method, path, body } of requests) check(await connection.send(method, path, body))
}

/** Records some searches of each step with their requests to the engine. */
async function recordRequests(
  deployment: Deployment,
  bench: Bench,
  engineUrl: string,
): Promise<Map<string, RecordedRequest[][]>> {
  let current: RecordedRequest[] = []
  const proxy = await listen(engineUrl, noted => current.push(noted))
  try {
    await deployment.restart({ SERVICE_ELASTICSEARCH: proxy.url })
    const connection = await openConnection(deployment.target.url, deployment.target.apiKey)
    const steps = new Map<string, RecordedRequest[][]>()
    for (const { step, send } of listSearches(deployment, bench)) {
      const searches: RecordedRequest[][] = []
      // The first search may also request settings of the index.
      for (let i = -1; i < RECORDED_MAX; i++) {
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

/** Forwards all requests and records searches and counts. */
async function listen(target: string, note: (noted: RecordedRequest) => void): Promise<{ url: string; close(): void }> {
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
