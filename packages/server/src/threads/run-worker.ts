/** Where calls are answered off the thread that speaks HTTP. One process has one writer and some readers. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Context } from '../context.ts'
import { openLive } from '../events/subscribers/live.ts'
import { tellWebhooks } from '../events/subscribers/webhooks.ts'
import { ROUTES } from '../features/all.ts'
import { findNewestTime } from '../features/records/store.ts'
import type { Call, Reply } from '../http/call.ts'
import { openRunCall } from '../http/run-call.ts'
import { openClock } from '../lib/clock.ts'
import { openDeadline } from '../lib/deadline.ts'
import { countChanges, countCommits } from '../metrics/shared-counts.ts'
import { openContext } from '../open-context.ts'
import { connectionsOf } from '../storage/pool-shares.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'
import { openParallelQueue, toParallel } from './parallel-queue.ts'
import { openWriterQueue, type WriterQueue } from './writer-queue.ts'

/**
 * A search or list may take this long. SQLite answers one statement at a time, so it is checked between statements. Loading an index does not
 * count: all who search the dataset need it, and one that was ended would begin anew with the next search.
 */
const READ_MS_MAX = 10_000

/** Lists read few pages of the file. */
const CACHE_MB = { writer: 32, search: 8, list: 8 }

const start = workerData as WorkerStart & { role: keyof typeof CACHE_MB }
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const isWriter = start.role === 'writer'
const deadline = openDeadline(READ_MS_MAX)
const opened = openContext({
  config: start.config,
  secrets: start.secrets,
  user: start.role,
  readonly: !isWriter,
  cacheMb: CACHE_MB[start.role],
  ...(isWriter ? {} : { beforeStatement: deadline.check, onIndexLoad: deadline.start }),
})
// The machine's clock may have been set back since the newest record was made; ours goes on from there.
const now = openClock(await findNewestTime(opened.db))
const live = openLive(batch => say({ kind: 'live', batch }), { isShared: start.config.databaseUrl !== null })
const { counts } = start
const ctx: Context = {
  ...opened,
  ...(counts && { db: countCommits(opened.db, counts) }),
  now,
  subscribers: [...opened.subscribers, live, tellWebhooks(sayWebhookEvents), ...(counts ? [countChanges(counts)] : [])],
}
const runCall = openRunCall(ROUTES)

let isTelling = false
/** Nothing more can be sent until an attempt ends, and then the main thread asks by itself. */
let isSendingFull = false

/** Once for all transactions of one turn. */
function sayWebhookEvents(): void {
  if (isTelling || isSendingFull) return
  isTelling = true
  setImmediate(() => {
    isTelling = false
    say({ kind: 'webhook-events' })
  })
}

function say(message: FromWorker): void {
  const sent = message.kind === 'reply' ? [message.reply.body, message.reply.next?.input] : []
  // Small texts may share their memory with others, which must stay here; large ones are handed over without a copy.
  const own = sent.filter(bytes => bytes != null && bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > 1024)
  port?.postMessage(
    message,
    own.map(bytes => bytes?.buffer as ArrayBuffer),
  )
}

const reply = (id: number, answered: Reply) => say({ kind: 'reply', id, reply: answered })
const queue = isWriter ? openQueue() : null

function openQueue(): WriterQueue {
  if (ctx.db.dialect.name === 'sqlite') return openWriterQueue(ctx, runCall, reply)
  return openParallelQueue(ctx, runCall, reply, toParallel(connectionsOf('writer', start.config)))
}

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return void close()
  if (message.kind === 'watch') return live.watch(message.datasetIds)
  if (message.kind === 'wake') return queue?.wake()
  if (message.kind === 'checkpoint') return void checkpoint(message.id)
  if (message.kind === 'replace') return void replace(message)
  if (message.kind === 'exchange') return void exchange(message)
  if (message.kind !== 'call') return
  if (queue) queue.push(message)
  else void read(message.id, message.call)
})

async function read(id: number, call: Call): Promise<void> {
  deadline.start()
  reply(id, await runCall(ctx, call))
}

async function replace({ id, merge }: Extract<ToWorker, { kind: 'replace' }>): Promise<void> {
  try {
    say({ kind: 'replaced', id, isReplaced: (await queue?.replace(merge)) ?? false })
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

async function exchange({ id, input }: Extract<ToWorker, { kind: 'exchange' }>): Promise<void> {
  try {
    const exchanged = await queue?.exchange(input)
    if (!exchanged) return
    isSendingFull = exchanged.isFull
    say({ kind: 'exchanged', id, exchanged })
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

/** Messages come between two steps of the writer, never inside a transaction: that runs in one turn of the event loop. */
async function checkpoint(id: number): Promise<void> {
  say({ kind: 'checkpointed', id, isDone: await ctx.db.checkpoint() })
}

async function close(): Promise<void> {
  await queue?.drained()
  // The other connections are closed by now: the file alone holds everything, so that it can be copied.
  if (isWriter) await ctx.db.checkpoint()
  await ctx.search.close()
  await ctx.db.close()
  port?.close()
}

say({ kind: 'ready' })
