/** The worker threads as the main thread sees them: which one answers a call, and whose turn it is. */
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
import { checkFirst, type Stops } from './check-first.ts'
import { type Indexing, openIndexing } from './indexing.ts'
import { type Asked, type Lane, openLane } from './lane.ts'
import { LOG_BYTES_MAX, type LogGuard, type LogGuardOptions, openLogGuard } from './log-guard.ts'
import { type Merging, openMerging } from './merging.ts'
import { expectKind, type Role } from './messages.ts'
import { openSending } from './sending.ts'
import { hearNews, tellNews } from './share-news.ts'
import { Thread, type ThreadDied } from './thread.ts'

/** Larger bodies are parsed, checked and prepared by the checker thread before they go to the writer. */
const CHECKED_APART_MIN = 64 * 1024

/**
 * Calls in flight. One search at a time, so that a person's next one comes after everybody else's; two lists and two bulk
 * writes, so that the thread has the next at hand. Urgent writes all go to the writer at once, so that they share commits.
 */
const IN_FLIGHT = { search: 1, list: 2, check: 1, bulk: 2, urgent: 1_000 }

export interface Pool {
  dispatch: Dispatch
  live: LiveSource
  ready: Promise<void>
  /** Calls that wait and run, by lane. */
  lanes(): LaneLoad[]
  /** Closes all threads but the writer. */
  closeReaders(): Promise<void>
  /** Closes the writer: last, when no other connection to the database is open. */
  closeWriter(): Promise<void>
}

export interface PoolOptions {
  /** Called when a thread dies: the process cannot go on without it. */
  onFailure(error: ThreadDied): void
  logBytesMax?: number
  /** To the other processes on the database. */
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
  const on = { died: onFailure, live: tellNews(bus, batch => onLive(batch)), webhookEvents: () => sending.wake() }
  const open = (role: Role) => new Thread({ role, config: ctx.config, secrets: ctx.secrets, counts: metrics?.sharedCounts }, on)
  const lanes = openLanes(metrics)
  const writer = open('writer')
  const checker = open('checker')
  const openReader = (role: 'list' | 'search'): Reader => ({ thread: open(role), lane: lanes.open(role) })
  const list = openReader('list')
  const searchers = Array.from({ length: ctx.config.readerThreads }, () => openReader('search'))
  const readers = [list, ...searchers]
  const { merging, sending, indexing } = openBackgroundOf(ctx, writer, metrics)
  hearNews(bus, { writer, sending, indexing, tellLive: batch => onLive(batch) })
  const write = openWrite(lanes, writer, checker, contract => {
    merging.wake()
    if (contract.tag !== 'webhooks') return
    sending.wake(true)
    bus.send({ hasWebhooks: true })
  })
  const guard = guardLog(ctx, writer, { bytesMax: logBytesMax, lanes: readers.map(({ lane }) => lane) })

  const dispatch: Dispatch = async (contract, call, isGone) => {
    // Without credentials there is nothing to do but to say so: that never waits behind others' work.
    if ((contract.runs === 'here' && !hasParameter(call, [contract.readerWith])) || (contract.auth && !call.actor)) {
      return runHere(ctx, call)
    }
    if (contract.runs === 'writer') return write(contract, call).finally(indexing.wake)
    const { thread, lane } = isSearch(contract, call) ? searcherFor(ctx, searchers, contract, call) : list
    const asked: Asked = { person: personOf(call), isGone: contract.endsOnWriter ? undefined : isGone }
    return lane.run(asked, () => send(thread, call, false))
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
    ready: Promise.all([writer, checker, ...readers.map(({ thread }) => thread)].map(thread => thread.ready)).then(
      // What an earlier process left.
      () => sending.wake(true),
    ),
    closeReaders: async () => {
      guard?.stop()
      await sending.stop()
      await Promise.all([
        merging.stop(),
        indexing.stop(),
        ...[checker, ...readers.map(({ thread }) => thread)].map(thread => thread.close()),
      ])
    },
    closeWriter: () => writer.close(),
  }
}

const stop = async () => {}

interface BackgroundWork {
  merging: Merging
  sending: Delivery
  indexing: Indexing
}

/** Work that begins on the main thread, unless it is left to workers. */
function openBackgroundOf(ctx: Context, writer: Thread, metrics: Metrics | undefined): BackgroundWork {
  const none = { wake: () => {}, stop }
  if (!ctx.config.backgroundWork) return { merging: none, sending: none, indexing: none }
  return { merging: openMerging(ctx, writer), sending: openSending(ctx, writer, metrics), indexing: openIndexing(ctx) }
}

interface Lanes {
  open(name: keyof typeof IN_FLIGHT): Lane
  list(): LaneLoad[]
}

/** Those with the same name are told as one. */
function openLanes(metrics: Metrics | undefined): Lanes {
  const opened: { lane: string; of: Lane }[] = []
  return {
    open: name => {
      const lane = openLane({ inFlight: IN_FLIGHT[name], measure: metrics?.openLane(name) })
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
  // PostgreSQL looks after its log itself.
  if (config.databaseUrl !== null) return null
  const checkpoint = async () => expectKind(await writer.ask({ kind: 'checkpoint' }), 'checkpointed').isDone
  return openLogGuard({ logFile: `${config.databaseFile}-wal`, ...limits, checkpoint, log })
}

/**
 * Large bodies by way of the checker; then bulk writes take turns, and urgent ones go on at once. `onStored` is called after those that
 * may have stored texts, which urgent ones never do.
 */
function openWrite(lanes: Lanes, writer: Thread, checker: Thread, onStored: (contract: Route) => void) {
  const [checks, bulk, urgent] = [lanes.open('check'), lanes.open('bulk'), lanes.open('urgent')]
  return async (contract: Route, call: Call): Promise<Reply> => {
    const asked: Asked = { person: personOf(call) }
    const { lane, isUrgent } = contract.urgent ? { lane: urgent, isUrgent: true } : { lane: bulk, isUrgent: false }
    const stops: Stops = {
      check: whole => checks.run(asked, () => check(checker, whole)),
      send: next => lane.run(asked, () => send(writer, next, isUrgent)),
    }
    const isLarge = (call.body?.byteLength ?? 0) > CHECKED_APART_MIN
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

/** Bodies are handed over without a copy. */
const buffersOf = ({ body, checked, prepared }: Call) =>
  [body, checked, prepared].flatMap(bytes => (bytes ? [bytes.buffer as ArrayBuffer] : []))

/** Whose turn a call takes. Nobody is signed in on open routes: there it is the address. */
const personOf = ({ actor, sender }: Call) => actor?.id ?? sender.address

const hasParameter = ({ search }: Call, names: readonly (string | undefined)[]) => {
  if (search === '') return false
  const given = new URLSearchParams(search)
  return names.some(name => name !== undefined && given.has(name))
}

const isSearch = ({ searches = false }: Route, call: Call) =>
  typeof searches === 'boolean' ? searches : hasParameter(call, searches)

/** The embedded index of a dataset is in the memory of one thread; a cluster is asked by any. */
function searcherFor({ config }: Context, searchers: readonly Reader[], contract: Route, call: Call): Reader {
  const key = contract.affinity === undefined || config.elastic ? undefined : call.params[contract.affinity]
  if (key !== undefined) return searchers[hash(key) % searchers.length] as Reader
  return searchers.reduce((least, reader) => (reader.lane.load < least.lane.load ? reader : least))
}

const hash = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 0)
