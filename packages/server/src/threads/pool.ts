/** Pool of worker threads: chooses the thread for each call and the order of calls. */
import type { Route } from '@postil/domain/api/route'
import type { Context } from '../context.ts'
import type { LiveSource } from '../events/live-source.ts'
import type { LiveBatch } from '../events/subscribers/live.ts'
import type { Delivery } from '../features/webhooks/delivery.ts'
import type { Dispatch } from '../http/app.ts'
import type { Call, Reply } from '../http/call.ts'
import type { CheckedCall } from '../http/check-call.ts'
import type { RunCall } from '../http/run-call.ts'
import type { LaneLoad, Metrics } from '../metrics/metrics.ts'
import { type Bus, NO_BUS } from '../processes/bus.ts'
import { type CheckSteps, checkFirst } from './check-first.ts'
import { type HubJobs, openHubJobs } from './hub-jobs.ts'
import { type HubThread, openHubThread } from './hub-thread.ts'
import { type Indexing, openIndexing } from './indexing.ts'
import { type CallSource, createLane, type Lane } from './lane.ts'
import { LOG_BYTES_MAX, type LogGuard, type LogGuardOptions, openLogGuard } from './log-guard.ts'
import { type Merging, openMerging } from './merging.ts'
import { expectKind, type Role } from './messages.ts'
import { openSending } from './sending.ts'
import { receiveNews, sendNews } from './share-news.ts'
import { Thread, type ThreadDied } from './thread.ts'

/** Minimum size in bytes of bodies that the checker thread parses, checks and prepares before they go to the writer. */
const CHECKED_BYTES_MIN = 64 * 1024

/**
 * Maximum calls in flight. One search at a time, so that other users' searches run before a user's next one. Two lists and two
 * bulk writes, so that the thread always has the next call. Two `apart`, because one may wait for the hub. All urgent writes go
 * to the writer immediately, so that they share commits.
 */
const IN_FLIGHT = { search: 1, list: 2, check: 1, bulk: 2, urgent: 1_000, apart: 2 }
/** Searches in a cluster spend most of their time waiting for it, and those that wait for the same index share its update. */
const CLUSTER_SEARCHES_IN_FLIGHT = 8

/** Tags of routes that may start a hub job. */
const HUB_TAGS: readonly string[] = ['hub', 'exports', 'imports']

export interface Pool {
  dispatch: Dispatch
  live: LiveSource
  ready: Promise<void>
  /** Number of waiting and running calls by lane. */
  lanes(): LaneLoad[]
  /** Closes all threads except the writer. */
  closeReaders(): Promise<void>
  /** Closes the writer. Must be called last, when no other database connection is open. */
  closeWriter(): Promise<void>
}

export interface PoolOptions {
  /** Called when a thread dies that the process cannot work without. */
  onFailure(error: ThreadDied): void
  logBytesMax?: number
  /** Message bus to the other processes on the database. */
  bus?: Bus
  metrics?: Metrics | undefined
}

interface Reader {
  thread: Thread
  lane: Lane
}

export function openPool(ctx: Context, runHere: RunCall, options: PoolOptions): Pool {
  const { onFailure, logBytesMax = LOG_BYTES_MAX, bus = NO_BUS, metrics } = options
  let onLive: (batch: LiveBatch) => void = () => {}
  const on = { died: onFailure, live: sendNews(bus, batch => onLive(batch)), webhookEvents: () => sending.wake() }
  const open = (role: Role) => new Thread({ role, config: ctx.config, secrets: ctx.secrets, counts: metrics?.sharedCounts }, on)
  const inFlight = ctx.config.elastic ? { ...IN_FLIGHT, search: CLUSTER_SEARCHES_IN_FLIGHT } : IN_FLIGHT
  const lanes = createLanes(inFlight, metrics)
  const writer = open('writer')
  const checker = onDemand(() => open('checker'))
  const openReader = (role: 'list' | 'search'): Reader => ({ thread: open(role), lane: lanes.open(role) })
  const list = openReader('list')
  const searchers = Array.from({ length: ctx.config.readerThreads }, () => openReader('search'))
  const readers = [list, ...searchers]
  const [hub, apart] = [openHubThread(ctx), lanes.open('apart')]
  const background = openBackgroundOf(ctx, { writer, hub }, metrics)
  const { merging, sending, indexing, hubJobs } = background
  receiveNews(bus, { writer, sending, indexing, hubJobs, tellLive: batch => onLive(batch) })
  const write = createWrite(lanes, writer, checker.get, contract => {
    merging.wake()
    if (HUB_TAGS.includes(contract.tag)) hubJobs.wake()
    if (contract.tag !== 'webhooks') return
    sending.wake(true)
    bus.send({ hasWebhooks: true })
  })
  const guard = guardLog(ctx, writer, { bytesMax: logBytesMax, lanes: readers.map(({ lane }) => lane) })

  const dispatch: Dispatch = async (contract, call, isGone) => {
    // Unauthenticated calls are rejected here, so that the rejection does not wait for other calls.
    if ((contract.runs === 'here' && !hasParameter(call, [contract.readerWith])) || (contract.auth && !call.actor)) {
      return runHere(ctx, call)
    }
    if (contract.runs === 'writer') return write(contract, call).finally(indexing.wake)
    if (contract.runs === 'apart') return apart.run({ person: personOf(call), isGone }, () => hub.call(call))
    const { thread, lane } = isSearch(contract, call) ? searcherFor(ctx, searchers, contract, call) : list
    const source: CallSource = { person: personOf(call), isGone: contract.endsOnWriter ? undefined : isGone }
    return lane.run(source, () => send(thread, call, false))
  }
  const live: LiveSource = {
    watch: datasetIds => writer.tell({ kind: 'watch', datasetIds }),
    listen: listener => {
      onLive = listener
    },
  }
  return {
    dispatch,
    live,
    lanes: lanes.list,
    ready: Promise.all([writer, ...readers.map(({ thread }) => thread)].map(thread => thread.ready)).then(
      // Continues work that an earlier process left.
      () => background.wake(),
    ),
    closeReaders: async () => {
      guard?.stop()
      await background.stop()
      await hub.close()
      await Promise.all([checker, ...readers.map(({ thread }) => thread)].map(thread => thread.close()))
    },
    closeWriter: () => writer.close(),
  }
}

/** Starts a thread when it is first needed: many servers never get a large body. */
function onDemand(open: () => Thread) {
  let thread: Thread | null = null
  const get = () => {
    thread ??= open()
    return thread
  }
  return { get, close: async () => thread?.close() }
}

const stop = async () => {}

interface BackgroundWork {
  merging: Merging
  sending: Delivery
  indexing: Indexing
  hubJobs: HubJobs
  /** Continues work that an earlier process left. */
  wake(): void
  stop(): Promise<void>
}

/** Background work that starts on the main thread; no-op if it is left to workers. */
function openBackgroundOf(
  ctx: Context,
  { writer, hub }: { writer: Thread; hub: HubThread },
  metrics: Metrics | undefined,
): BackgroundWork {
  const none = { wake: () => {}, stop }
  if (!ctx.config.backgroundWork) return { merging: none, sending: none, indexing: none, hubJobs: none, ...none }
  const [merging, indexing] = [openMerging(ctx, writer), openIndexing(ctx)]
  const [sending, hubJobs] = [openSending(ctx, writer, metrics), openHubJobs(ctx, writer, hub)]
  return {
    merging,
    sending,
    indexing,
    hubJobs,
    wake: () => {
      sending.wake(true)
      hubJobs.wake()
    },
    stop: async () => {
      // These two stop before the writer, because they report the state of running work to it.
      await sending.stop()
      await hubJobs.stop()
      await Promise.all([merging.stop(), indexing.stop()])
    },
  }
}

interface Lanes {
  open(name: keyof typeof IN_FLIGHT): Lane
  list(): LaneLoad[]
}

/** Lanes with the same name are reported as one. */
function createLanes(inFlight: typeof IN_FLIGHT, metrics: Metrics | undefined): Lanes {
  const opened: { lane: string; of: Lane }[] = []
  return {
    open: name => {
      const lane = createLane({ inFlight: inFlight[name], measure: metrics?.openLane(name) })
      opened.push({ lane: name, of: lane })
      return lane
    },
    list: () =>
      Array.from(
        Map.groupBy(opened, ({ lane }) => lane),
        ([lane, all]) => {
          const running = all.reduce((sum, { of }) => sum + of.inFlight, 0)
          return { lane, running, waiting: all.reduce((sum, { of }) => sum + of.load, 0) - running }
        },
      ),
  }
}

function guardLog(
  { config, log }: Context,
  writer: Thread,
  limits: Pick<LogGuardOptions, 'bytesMax' | 'lanes'>,
): LogGuard | null {
  // PostgreSQL manages its write-ahead log itself.
  if (config.databaseUrl !== null) return null
  const checkpoint = async () => expectKind(await writer.ask({ kind: 'checkpoint' }), 'checkpointed').isDone
  return openLogGuard({ logFile: `${config.databaseFile}-wal`, ...limits, checkpoint, log })
}

/**
 * Sends large bodies through the checker; then bulk writes take turns, and urgent ones go to the writer immediately. `onStored`
 * is called after writes that may have stored texts, which urgent ones never do.
 */
function createWrite(lanes: Lanes, writer: Thread, openChecker: () => Thread, onStored: (contract: Route) => void) {
  const [checks, bulk, urgent] = [lanes.open('check'), lanes.open('bulk'), lanes.open('urgent')]
  return async (contract: Route, call: Call): Promise<Reply> => {
    const source: CallSource = { person: personOf(call) }
    const { lane, isUrgent } = contract.urgent ? { lane: urgent, isUrgent: true } : { lane: bulk, isUrgent: false }
    const stops: CheckSteps = {
      check: whole => checks.run(source, () => check(openChecker(), whole)),
      send: next => lane.run(source, () => send(writer, next, isUrgent)),
    }
    const isLarge = (call.body?.byteLength ?? 0) > CHECKED_BYTES_MIN
    const reply = await (isLarge ? checkFirst(call, stops) : stops.send(call))
    if (!isUrgent && reply.status < 300) onStored(contract)
    return reply
  }
}

async function check(checker: Thread, call: Call): Promise<CheckedCall> {
  return expectKind(await checker.ask({ kind: 'check', call }, buffersOf(call)), 'checked').outcome
}

async function send(thread: Thread, call: Call, urgent: boolean): Promise<Reply> {
  return expectKind(await thread.ask({ kind: 'call', urgent, call }, buffersOf(call)), 'reply').reply
}

/** Buffers to transfer instead of copying. */
const buffersOf = ({ body, checked, prepared }: Call) =>
  [body, checked, prepared].flatMap(bytes => (bytes ? [bytes.buffer as ArrayBuffer] : []))

/** Key for taking turns: the user, or the address for unauthenticated calls. */
const personOf = ({ actor, sender }: Call) => actor?.id ?? sender.address

const hasParameter = ({ search }: Call, names: readonly (string | undefined)[]) => {
  if (search === '') return false
  const given = new URLSearchParams(search)
  return names.some(name => name !== undefined && given.has(name))
}

const isSearch = ({ searches = false }: Route, call: Call) =>
  typeof searches === 'boolean' ? searches : hasParameter(call, searches)

/**
 * The embedded index of a dataset is in the memory of one thread. With a cluster, searches of a dataset prefer one thread, where
 * they share the updates of its index; if that thread is busy, they go to the least busy one.
 */
function searcherFor({ config }: Context, searchers: readonly Reader[], contract: Route, call: Call): Reader {
  const key = contract.affinity === undefined ? undefined : call.params[contract.affinity]
  const own = key === undefined ? undefined : searchers[hash(key) % searchers.length]
  if (own && (!config.elastic || own.lane.load < CLUSTER_SEARCHES_IN_FLIGHT)) return own
  return searchers.reduce((least, reader) => (reader.lane.load < least.lane.load ? reader : least))
}

const hash = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 0)
