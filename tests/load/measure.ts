/** Timings: response times in milliseconds, and requests per second. */
import { type Answer, type Connection, openConnection } from './http-client.ts'

export interface Timing {
  p50_ms: number
  p95_ms: number
  per_second: number
}

export interface Target {
  url: string
  apiKey: string
  /** Other servers on the same database. Clients are distributed among all. */
  otherUrls?: readonly string[]
}

export type Send = (connection: Connection, index: number) => Promise<Answer>

interface Plan {
  concurrency: number
  requests: number
  /** Number of requests before the timer starts, to fill the server's caches. */
  warmup?: number
}

/** Opens one connection per client, alternating between the servers. */
export function openConnections({ url, apiKey, otherUrls = [] }: Target, count: number): Promise<Connection[]> {
  const urls = [url, ...otherUrls]
  return Promise.all(Array.from({ length: count }, (_, index) => openConnection(urls[index % urls.length] ?? url, apiKey)))
}

export async function measure(target: Target, plan: Plan, send: Send): Promise<Timing> {
  const connections = await openConnections(target, plan.concurrency)
  let next = 0
  const times: number[] = []
  const worker = async (connection: Connection, until: number, record: boolean) => {
    while (next < until) {
      const index = next++
      const start = performance.now()
      check(await send(connection, index))
      if (record) times.push(performance.now() - start)
    }
  }
  const warmup = plan.warmup ?? 0
  await Promise.all(connections.map(connection => worker(connection, warmup, false)))
  const start = performance.now()
  await Promise.all(connections.map(connection => worker(connection, warmup + plan.requests, true)))
  const seconds = (performance.now() - start) / 1000
  for (const connection of connections) connection.close()
  return { ...quantiles(times), per_second: plan.requests / seconds }
}

export function check(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`The server answered ${answer.status}: ${answer.body.subarray(0, 500).toString()}`)
  return answer
}

export function quantiles(times: readonly number[]): { p50_ms: number; p95_ms: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50_ms: at(0.5), p95_ms: at(0.95) }
}
