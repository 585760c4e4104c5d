/**
 * Responds to a scrape with the samples of this process, of the other processes of the server, and of the resources that they
 * share.
 */
import type { Logger } from 'pino'
import { readSharedSamples } from '../features/metrics/read-shared.ts'
import { createCachedCheck } from '../health/cached-check.ts'
import type { Dispatch } from '../http/app.ts'
import { continueCall, toInnerCall } from '../http/call.ts'
import { toServerCall } from '../http/server-call.ts'
import type { HttpLoad, LaneLoad, Metrics } from './metrics.ts'
import { openPeers } from './peers.ts'
import type { Sample } from './samples.ts'
import { toPrometheusText } from './text-format.ts'

/** Limits how often the queries run, for any number of scrapes. */
const SHARED_LIMITS = { keepMs: 5_000, limitMs: 2_000 }

interface Sources {
  metrics: Metrics
  dispatch: Dispatch
  lanes(): LaneLoad[]
  log: Logger
}

export interface Scrape {
  /** Returns the samples in the Prometheus text format. */
  toText(): Promise<string>
  /** Sets the function that reads the HTTP load, because the HTTP server starts later. */
  watchHttp(load: () => HttpLoad): void
  close(): void
}

export function openScrape({ metrics, dispatch, lanes, log }: Sources): Scrape {
  let readHttp = (): HttpLoad => ({ inFlight: 0, eventStreams: 0 })
  const listOwn = () => metrics.list({ lanes: lanes(), http: readHttp() })
  const peers = openPeers(listOwn)
  const readShared = createCachedCheck(() => readSharedInThread(dispatch, log), null, SHARED_LIMITS)
  return {
    toText: async () => {
      const [shared, { others, isComplete }] = await Promise.all([readShared(), peers.ask()])
      if (shared === null || !isComplete) metrics.noteFailedScrape()
      const processes = [{ process: peers.process, samples: listOwn() }, ...others]
      return toPrometheusText([
        ...processes.flatMap(({ process, samples }) => samples.map(withProcess(process))),
        ...(shared ?? []),
      ])
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

/** Reads the shared samples in a reader thread; returns null if that fails. */
async function readSharedInThread(dispatch: Dispatch, log: Logger): Promise<Sample[] | null> {
  try {
    const reply = await dispatch(
      readSharedSamples,
      continueCall(toServerCall('metrics'), toInnerCall(readSharedSamples, undefined)),
    )
    if (reply.status !== 200) throw new Error(`the reader answered ${reply.status}`)
    return JSON.parse(new TextDecoder().decode(reply.body ?? undefined)) as Sample[]
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'metrics of the database could not be read')
    return null
  }
}
