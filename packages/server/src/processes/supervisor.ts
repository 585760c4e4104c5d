/**
 * Runs several copies of this process, which share a port. Restarts a copy that ends, with exponential backoff if it ends soon
 * after its start, and passes signals on to all copies.
 */
import cluster, { type Worker } from 'node:cluster'
import { nextSignal } from '../cli/run-until-stopped.ts'
import { forwardMetrics } from '../metrics/peers.ts'

const PAUSE_MS_MIN = 1_000
const PAUSE_MS_MAX = 60_000
/** A copy that ran longer than this did not fail at its start, so the backoff is reset. */
const STAYED_MS = 60_000
/** How long copies may take to finish after a signal before they are killed. */
const STOP_MS_MAX = 120_000

interface ReadyMessage {
  kind: 'ready'
  what: string
}

/** Called by a copy when it is running; `what` is passed to `onReady`. */
export const reportReady = (what: string): void => void process.send?.({ kind: 'ready', what } satisfies ReadyMessage)

interface ProcessesOptions {
  count: number
  /** How long copies continue to serve after a signal. */
  stopDelaySeconds: number
  /** Called once, with the `what` of each copy that is running. */
  onReady(said: string[]): void
}

/**
 * Returns the exit code. Waits for the first copy before it starts the others: if the first one cannot start, none can, and it
 * has already printed the reason.
 */
export async function runProcesses({ count, stopDelaySeconds, onReady }: ProcessesOptions): Promise<number> {
  const signal = nextSignal()
  forwardMetrics()
  const places = Array.from({ length: count }, () => createSlot())
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

/** Slot for one copy, which is replaced when it ends. */
function createSlot() {
  const exits = Promise.withResolvers<number>()
  let worker: Worker | null = null
  let next: NodeJS.Timeout | undefined
  let pauseMs = PAUSE_MS_MIN
  let isStopping = false

  /**
   * Resolves with the `what` of the copy when it is running, or with the exit code if it ends before. A copy that ends is
   * restarted, except a decisive one that was never ready.
   */
  const start = (isDecisive: boolean) =>
    new Promise<string | number>(resolve => {
      let isReady = false
      const startedAt = performance.now()
      // Indexes were already rebuilt before the first copy was started.
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
