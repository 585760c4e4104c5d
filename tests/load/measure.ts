/** Timings: what a client waits, in milliseconds, and how many requests a second it gets through. */
import { type Answer, type Connection, openConnection } from './http-client.ts'

export interface Timing {
  p50_ms: number
  p95_ms: number
  per_second: number
}

export interface Target {
  url: string
  apiKey: string
  /** Other servers of the same database, with which it shares the clients. */
  otherUrls?: readonly string[]
}

export type Send = (connection: Connection, index: number) => Promise<Answer>

interface Plan {
  concurrency: number
  requests: number
  /** Requests before the clock starts: what a running server has in its caches. */
  warmup?: number
}

/** One for each client, by turns to each server. */
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
