/** Answers a scrape: this process, the other processes of the same server, and what they share. */
import type { Logger } from 'pino'
import { readSharedSamples } from '../features/metrics/read-shared.ts'
import { openKeptCheck } from '../health/kept-check.ts'
import type { Dispatch } from '../http/app.ts'
import { continueCall, toInnerCall } from '../http/call.ts'
import { toOwnCall } from '../http/own-call.ts'
import type { HttpLoad, LaneLoad, Metrics } from './metrics.ts'
import { openPeers } from './peers.ts'
import type { Sample } from './samples.ts'
import { toText } from './text-format.ts'

/** The same queries are not made more often, however often somebody asks. */
const SHARED_LIMITS = { keepMs: 5_000, limitMs: 2_000 }

interface Sources {
  metrics: Metrics
  dispatch: Dispatch
  lanes(): LaneLoad[]
  log: Logger
}

export interface Scrape {
  /** Prometheus' text format. */
  toText(): Promise<string>
  /** Tells how to read the load of HTTP, which opens later. */
  watchHttp(load: () => HttpLoad): void
  close(): void
}

export function openScrape({ metrics, dispatch, lanes, log }: Sources): Scrape {
  let readHttp = (): HttpLoad => ({ inFlight: 0, eventStreams: 0 })
  const listOwn = () => metrics.list({ lanes: lanes(), http: readHttp() })
  const peers = openPeers(listOwn)
  const readShared = openKeptCheck(() => askForShared(dispatch, log), null, SHARED_LIMITS)
  return {
    toText: async () => {
      const [shared, { others, isComplete }] = await Promise.all([readShared(), peers.ask()])
      if (shared === null || !isComplete) metrics.noteFailedScrape()
      const processes = [{ process: peers.process, samples: listOwn() }, ...others]
      return toText([...processes.flatMap(({ process, samples }) => samples.map(withProcess(process))), ...(shared ?? [])])
    },
    watchHttp: load => {
      readHttp = load
    },
    close: () => {
      peers.close()
      metrics.close()
    },
  }
}

const withProcess =
  (process: string) =>
  (sample: Sample): Sample => ({ ...sample, labels: [['process', process], ...sample.labels] })

/** In a reader thread; null if that fails. */
async function askForShared(dispatch: Dispatch, log: Logger): Promise<Sample[] | null> {
  try {
    const reply = await dispatch(readSharedSamples, continueCall(toOwnCall('metrics'), toInnerCall(readSharedSamples, undefined)))
    if (reply.status !== 200) throw new Error(`the reader answered ${reply.status}`)
    return JSON.parse(new TextDecoder().decode(reply.body ?? undefined)) as Sample[]
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'metrics of the database could not be read')
    return null
  }
}
