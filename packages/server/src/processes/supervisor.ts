/**
 * Runs several copies of this process, which share what they listen on. One that ends is started again, after pauses that grow while it
 * does not stay; a signal is passed on to all of them.
 */
import cluster, { type Worker } from 'node:cluster'
import { nextSignal } from '../cli/run-until-stopped.ts'
import { passMetricsOn } from '../metrics/peers.ts'

const PAUSE_MS_MIN = 1_000
const PAUSE_MS_MAX = 60_000
/** A process that ran for so long did not fail at its start. */
const STAYED_MS = 60_000
/** How long processes may take to finish what they are doing once they are told to stop; then they are killed. */
const STOP_MS_MAX = 120_000

interface ReadyMessage {
  kind: 'ready'
  what: string
}

/** Said by a copy once it runs; `what` is handed to `onReady`. */
export const sayReady = (what: string): void => void process.send?.({ kind: 'ready', what } satisfies ReadyMessage)

interface ProcessesOptions {
  count: number
  /** How long they go on serving after a signal. */
  stopDelaySeconds: number
  /** Called once, with what those said that run. */
  onReady(said: string[]): void
}

/** Answers the exit code. The first copy is waited for: if it cannot start, none can, and it has said why. */
export async function runProcesses({ count, stopDelaySeconds, onReady }: ProcessesOptions): Promise<number> {
  const signal = nextSignal()
  passMetricsOn()
  const places = Array.from({ length: count }, () => openPlace())
  const [first, ...others] = places
  const started = await Promise.race([first?.start(true), signal])
  if (typeof started === 'number') return started || 1
  if (started) {
    const rest = Promise.all(others.map(place => place.start(false)))
    const said = await Promise.race([rest, signal])
    if (said) onReady([started, ...said].flatMap(one => (typeof one === 'string' ? one : [])))
    await signal
  }
  const codes = await Promise.all(places.map(place => place.stop(stopDelaySeconds * 1_000 + STOP_MS_MAX)))
  return codes.every(code => code === 0) ? 0 : 1
}

/** The place of one copy, which is taken by another when it ends. */
function openPlace() {
  const exits = Promise.withResolvers<number>()
  let worker: Worker | null = null
  let next: NodeJS.Timeout | undefined
  let pauseMs = PAUSE_MS_MIN
  let isStopping = false

  /** Answers what the copy says when it runs, or the exit code if it ends before. After that it is started again, unless it is decisive. */
  const start = (isDecisive: boolean) =>
    new Promise<string | number>(resolve => {
      let isReady = false
      const startedAt = performance.now()
      // Indexes that are to be built anew were built before the first copy was started.
      const copy = cluster.fork({ REINDEX_DATASETS: '' })
      worker = copy
      copy.on('message', ({ kind, what }: ReadyMessage) => {
        isReady ||= kind === 'ready'
        if (isReady) resolve(what)
      })
      copy.once('exit', (code: number | null, signal: string | null) => {
        worker = null
        const exitCode = code ?? 1
        const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`
        if (isStopping) exits.resolve(exitCode)
        else if (isReady || !isDecisive) startLater(`Process ${copy.process.pid} ${how}`, performance.now() - startedAt)
        resolve(exitCode)
      })
    })
  const startLater = (why: string, ranMs: number) => {
    if (ranMs > STAYED_MS) pauseMs = PAUSE_MS_MIN
    process.stderr.write(`${why}. Another one starts in ${pauseMs / 1_000} s.\n`)
    next = setTimeout(() => void start(false), pauseMs)
    pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)
  }
  return {
    start,
    stop: async (msMax: number): Promise<number> => {
      isStopping = true
      clearTimeout(next)
      const stopping = worker
      if (stopping === null) return 0
      stopping.process.kill('SIGTERM')
      const timer = setTimeout(() => stopping.process.kill('SIGKILL'), msMax)
      return exits.promise.finally(() => clearTimeout(timer))
    },
  }
}
