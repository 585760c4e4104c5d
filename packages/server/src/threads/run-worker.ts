/** Where calls are answered off the thread that speaks HTTP. One process has one writer and some readers. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Context } from '../context.ts'
import { openLive } from '../events/subscribers/live.ts'
import { ROUTES } from '../features/all.ts'
import { findNewestTime } from '../features/records/store.ts'
import type { Reply } from '../http/call.ts'
import { openRunCall } from '../http/run-call.ts'
import { openClock } from '../lib/clock.ts'
import { openContext } from '../open-context.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'
import { openWriterQueue } from './writer-queue.ts'

const start = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const opened = openContext({ config: start.config, secrets: start.secrets, readonly: start.role === 'reader', cacheMb: 32 })
// The machine's clock may have been set back since the newest record was made; ours goes on from there.
const now = openClock(await findNewestTime(opened.db))
const live = openLive(batch => say({ kind: 'live', batch }))
const ctx: Context = { ...opened, now, subscribers: [...opened.subscribers, live] }
const runCall = openRunCall(ROUTES)

function say(message: FromWorker): void {
  const bytes = message.kind === 'reply' ? message.reply.body : null
  // Small texts may share their memory with others, which must stay here; large ones are handed over without a copy.
  const own = bytes !== null && bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > 1024
  port?.postMessage(message, own ? [bytes.buffer as ArrayBuffer] : [])
}

const reply = (id: number, answered: Reply) => say({ kind: 'reply', id, reply: answered })
const queue = start.role === 'writer' ? openWriterQueue(ctx, runCall, reply) : null

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return void close()
  if (message.kind === 'watch') return live.watch(message.datasetIds)
  if (queue) queue.push(message)
  else void runCall(ctx, message.call).then(answered => reply(message.id, answered))
})

async function close(): Promise<void> {
  await queue?.drained()
  await ctx.db.close()
  port?.close()
}

say({ kind: 'ready' })
