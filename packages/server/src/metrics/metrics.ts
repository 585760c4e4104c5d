/** Metrics of a process: values that are counted while it runs, and values that are read at each scrape. */
import type { Config } from '../config.ts'
import { API_VERSION, POSTIL_VERSION } from '../version.ts'
import { openProcessSamples } from './process-samples.ts'
import { createSamples, type Sample } from './samples.ts'
import { createSharedCounters, listSharedCounters } from './shared-counts.ts'

/** Number of calls in a lane. */
export interface LaneLoad {
  lane: string
  waiting: number
  running: number
}

export interface HttpLoad {
  inFlight: number
  eventStreams: number
}

export interface Metrics {
  /** Shared memory in which the writer thread counts. */
  sharedCounts: SharedArrayBuffer
  /** Counts a completed request. `ms` is null for event streams, which end when the client disconnects. */
  noteRequest(operation: string, status: number, ms: number | null): void
  /** Returns a function that records the wait and run time of each call in a lane. */
  openLane(lane: string): (waitMs: number, runMs: number) => void
  noteWebhookRequest(outcome: 'answered' | 'refused' | 'failed'): void
  noteFailedScrape(): void
  /** Lists the samples of this process. */
  list(load: { lanes: readonly LaneLoad[]; http: HttpLoad }): Sample[]
  close(): void
}

export function openMetrics(config: Config): Metrics {
  const samples = createSamples()
  const sharedCounts = createSharedCounters()
  const ofProcess = openProcessSamples()
  const failedScrapes = samples.counter('postil_scrape_failures_total')
  return {
    sharedCounts,
    noteRequest: openNoteRequest(samples),
    openLane: lane => {
      const waits = samples.histogram('postil_lane_wait_seconds', { lane })
      const runs = samples.histogram('postil_lane_run_seconds', { lane })
      return (waitMs, runMs) => {
        waits.observe(waitMs / 1_000)
        runs.observe(runMs / 1_000)
      }
    },
    noteWebhookRequest: outcome => samples.counter('postil_webhook_requests_total', { outcome }).add(),
    noteFailedScrape: () => failedScrapes.add(),
    list: ({ lanes, http }) => [
      toBuildInfo(config),
      { name: 'postil_http_requests_in_flight', labels: [], value: http.inFlight },
      { name: 'postil_event_streams', labels: [], value: http.eventStreams },
      ...lanes.flatMap(toLaneSamples),
      ...samples.list(),
      ...listSharedCounters(sharedCounts),
      ...ofProcess.list(),
    ],
    close: () => ofProcess.close(),
  }
}

/** Caches counters and histograms by operation, because this runs for every request. */
function openNoteRequest(samples: ReturnType<typeof createSamples>): Metrics['noteRequest'] {
  const open = (operation: string) => ({
    seconds: samples.histogram('postil_http_request_seconds', { operation }),
    statuses: new Map<number, { add(): void }>(),
  })
  const operations = new Map<string, ReturnType<typeof open>>()
  return (operation, status, ms) => {
    const known = operations.get(operation) ?? open(operation)
    operations.set(operation, known)
    if (ms !== null) known.seconds.observe(ms / 1_000)
    const kind = Math.floor(status / 100)
    const count = known.statuses.get(kind) ?? samples.counter('postil_http_requests_total', { operation, status: `${kind}xx` })
    known.statuses.set(kind, count)
    count.add()
  }
}

const toLaneSamples = ({ lane, waiting, running }: LaneLoad): Sample[] => [
  { name: 'postil_lane_waiting', labels: [['lane', lane]], value: waiting },
  { name: 'postil_lane_running', labels: [['lane', lane]], value: running },
]

function toBuildInfo({ databaseUrl, searchEngine }: Config): Sample {
  const labels = [
    ['version', POSTIL_VERSION],
    ['api_version', API_VERSION],
    ['node', process.version],
    ['database', databaseUrl === null ? 'sqlite' : 'postgresql'],
    ['search_engine', searchEngine],
  ] as const
  return { name: 'postil_build_info', labels, value: 1 }
}
