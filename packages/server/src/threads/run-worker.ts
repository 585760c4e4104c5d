/** Worker thread for calls, separate from the thread that handles HTTP. A process has one writer and several readers. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Context } from '../context.ts'
import { openLive } from '../events/subscribers/live.ts'
import { wakeWebhooks } from '../events/subscribers/webhooks.ts'
import { ROUTES } from '../features/all.ts'
import { findNewestTime } from '../features/records/store.ts'
import type { Call, Reply } from '../http/call.ts'
import { createRunCall } from '../http/run-call.ts'
import { openClock } from '../lib/clock.ts'
import { createDeadline } from '../lib/deadline.ts'
import { countChanges, countCommits } from '../metrics/shared-counts.ts'
import { openContext } from '../open-context.ts'
import { connectionsOf } from '../storage/pool-shares.ts'
import { type FromWorker, type ToWorker, toFailure, type WorkerStart } from './messages.ts'
import { openParallelQueue, toParallelOptions } from './parallel-queue.ts'
import { openWriterQueue, type WriterQueue } from './writer-queue.ts'

/**
 * Time limit of a search or list. It is checked between statements, because SQLite runs a statement to its end. Loading an index
 * does not count: all searches of the dataset need the index, and an aborted load would start again with the next search.
 */
const READ_MS_MAX = 10_000

/** How often the writer looks whether the files of the database are still there. It also looks before each commit. */
const FILES_LOOK_MS = 1_000

/** Lists read few pages of the file. */
const CACHE_MB = { writer: 32, search: 8, list: 8 }

const start = workerData as WorkerStart & { role: keyof typeof CACHE_MB }
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const isWriter = start.role === 'writer'
const deadline = createDeadline(READ_MS_MAX)
const opened = openContext({
  config: start.config,
  secrets: start.secrets,
  user: start.role,
  readonly: !isWriter,
  cacheMb: CACHE_MB[start.role],
  ...(isWriter ? {} : { beforeStatement: deadline.check, onIndexLoad: deadline.start }),
})
// Continues from the newest stored time, in case the system clock was set back since.
const now = openClock(await findNewestTime(opened.db))
const live = openLive(batch => say({ kind: 'live', batch }), { isShared: start.config.databaseUrl !== null })
const { counts } = start
const ctx: Context = {
  ...opened,
  ...(counts && { db: countCommits(opened.db, counts) }),
  now,
  subscribers: [...opened.subscribers, live, wakeWebhooks(sayWebhookEvents), ...(counts ? [countChanges(counts)] : [])],
}
const runCall = createRunCall(ROUTES)

let isTelling = false
/** True if no further delivery can be sent until one ends; the main thread then asks for more without a notification. */
let isSendingFull = false

/** Sends one message for all transactions in one turn of the event loop. */
function sayWebhookEvents(): void {
  if (isTelling || isSendingFull) return
  isTelling = true
  setImmediate(() => {
    isTelling = false
    say({ kind: 'webhook-events' })
  })
}

function say(message: FromWorker): void {
  const sent = message.kind === 'reply' ? [message.reply.body, message.reply.next?.input, message.reply.part?.next?.input] : []
  // Transfers large bodies instead of copying them. Small ones may share a buffer with other data, which must stay in this
  // thread.
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
  return openParallelQueue(ctx, runCall, reply, toParallelOptions(connectionsOf('writer', start.config)))
}

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return void close()
  if (message.kind === 'watch') return live.watch(message.datasetIds)
  if (message.kind === 'wake') return queue?.wake()
  if (message.kind === 'checkpoint') return void checkpoint(message.id)
  if (message.kind === 'replace') return void replace(message)
  if (message.kind === 'exchange') return void exchange(message)
  if (message.kind === 'hub-job') return void runHub(message)
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

async function runHub({ id, input }: Extract<ToWorker, { kind: 'hub-job' }>): Promise<void> {
  try {
    say({ kind: 'hub-job', id, output: (await queue?.runHub(input)) ?? null })
  } catch (error) {
    say({ kind: 'failed', id, ...toFailure(error) })
  }
}

/** Never runs inside a transaction: a transaction runs in one turn of the event loop, and messages are handled between turns. */
async function checkpoint(id: number): Promise<void> {
  say({ kind: 'checkpointed', id, isDone: await ctx.db.checkpoint() })
}

async function close(): Promise<void> {
  await queue?.drained()
  clearInterval(filesTimer)
  // All other connections are closed by now, so after this checkpoint the database file is complete and can be copied.
  if (isWriter) await ctx.db.checkpoint()
  await ctx.search.close()
  await ctx.db.close()
  port?.close()
}

// An error in a timer ends the thread, and with it the process, which must not serve a database that another server may have opened.
const filesTimer = isWriter ? setInterval(opened.db.checkFiles, FILES_LOOK_MS) : undefined

say({ kind: 'ready' })
