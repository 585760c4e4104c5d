/**
 * Processes of one server (`start --workers N`) share a port, so a scrape reaches any one of them. That process requests the
 * samples of the others through the primary process and returns the samples of all.
 */
import cluster, { type Worker } from 'node:cluster'
import type { Sample } from './samples.ts'

/** Timeout for the samples of other processes; those that respond later are omitted. */
const ANSWER_MS_MAX = 1_000

/** Message between two processes. The key `postil_metrics` distinguishes it from other messages. */
type Message = { postil_metrics: 'ask' | 'tell' | 'count'; ask: string; process: string; samples?: Sample[]; count?: number }

const isMessage = (given: unknown): given is Message => typeof given === 'object' && given !== null && 'postil_metrics' in given

export interface PeerSamples {
  process: string
  samples: Sample[]
}

export interface Peers {
  /** Name of this process. */
  process: string
  /** Returns the samples of the other processes; `isComplete` is false if one of them did not respond in time. */
  ask(): Promise<{ others: PeerSamples[]; isComplete: boolean }>
  close(): void
}

interface PendingRequest {
  expected: number | null
  others: PeerSamples[]
  settle(): void
}

/** `listOwn` is called when another process requests the samples. */
export function openPeers(listOwn: () => Sample[]): Peers {
  const self = cluster.worker
  if (!self) return { process: '1', ask: async () => ({ others: [], isComplete: true }), close: () => {} }
  const own = String(self.id)
  const waiting = new Map<string, PendingRequest>()
  let asked = 0

  const isDone = ({ expected, others }: PendingRequest) => expected !== null && others.length >= expected
  const onMessage = (given: unknown) => {
    if (!isMessage(given)) return
    if (given.postil_metrics === 'ask') {
      self.send({ ...given, postil_metrics: 'tell', samples: listOwn() } satisfies Message)
      return
    }
    const entry = waiting.get(given.ask)
    if (!entry) return
    if (given.postil_metrics === 'count') entry.expected = given.count ?? 0
    else entry.others.push({ process: given.process, samples: given.samples ?? [] })
    if (isDone(entry)) entry.settle()
  }
  process.on('message', onMessage)

  return {
    process: own,
    ask: async () => {
      const ask = `${own}:${++asked}`
      const settled = Promise.withResolvers<void>()
      const entry: PendingRequest = { expected: null, others: [], settle: settled.resolve }
      waiting.set(ask, entry)
      const timer = setTimeout(settled.resolve, ANSWER_MS_MAX)
      self.send({ postil_metrics: 'ask', ask, process: own } satisfies Message)
      await settled.promise
      clearTimeout(timer)
      waiting.delete(ask)
      return { others: entry.others, isComplete: isDone(entry) }
    },
    close: () => void process.off('message', onMessage),
  }
}

/**
 * Runs in the primary process: forwards requests to all other processes, and their responses to the process that sent the
 * request.
 */
export function forwardMetrics(): void {
  const byId = (id: string | undefined): Worker | undefined => cluster.workers?.[id ?? '']
  const isThere = (worker: Worker | undefined): worker is Worker => worker?.isConnected() === true
  cluster.on('message', (from, given: unknown) => {
    if (!isMessage(given)) return
    const asker = byId(given.ask.split(':')[0])
    if (!isThere(asker)) return
    if (given.postil_metrics === 'tell') return void asker.send({ ...given, process: String(from.id) } satisfies Message)
    const others = Object.values(cluster.workers ?? {}).filter(worker => isThere(worker) && worker !== from)
    asker.send({ ...given, postil_metrics: 'count', count: others.length } satisfies Message)
    for (const other of others) other?.send(given)
  })
}
