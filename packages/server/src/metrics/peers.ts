/**
 * Processes of one server (`start --workers N`) share a port, so that a scrape reaches any one of them. That one asks the others through the
 * process that started them, and answers for all.
 */
import cluster, { type Worker } from 'node:cluster'
import type { Sample } from './samples.ts'

/** A process that does not answer in this time is left out. */
const ANSWER_MS_MAX = 1_000

/** Between two processes: others' messages have no such key. */
type Message = { postil_metrics: 'ask' | 'tell' | 'count'; ask: string; process: string; samples?: Sample[]; count?: number }

const isMessage = (given: unknown): given is Message => typeof given === 'object' && given !== null && 'postil_metrics' in given

export interface PeerSamples {
  process: string
  samples: Sample[]
}

export interface Peers {
  /** The name of this process. */
  process: string
  /** Samples of the other processes; `isComplete` is false if one of them did not answer in time. */
  ask(): Promise<{ others: PeerSamples[]; isComplete: boolean }>
  close(): void
}

interface Waiting {
  expected: number | null
  others: PeerSamples[]
  settle(): void
}

/** `listOwn` is called when another process asks. */
export function openPeers(listOwn: () => Sample[]): Peers {
  const self = cluster.worker
  if (!self) return { process: '1', ask: async () => ({ others: [], isComplete: true }), close: () => {} }
  const own = String(self.id)
  const waiting = new Map<string, Waiting>()
  let asked = 0

  const isDone = ({ expected, others }: Waiting) => expected !== null && others.length >= expected
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
      const entry: Waiting = { expected: null, others: [], settle: settled.resolve }
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

/** In the process that starts the others: passes questions on to all others, and answers back to the one that asked. */
export function passMetricsOn(): void {
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
