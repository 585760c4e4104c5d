/**
 * Sender thread: reads, builds, signs and sends webhook requests without blocking the threads that serve requests. It only reads
 * the database.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { listOverfull } from '../features/webhooks/backlog.ts'
import { createSend } from '../features/webhooks/send.ts'
import { post } from '../lib/outgoing.ts'
import { createApiKeys } from '../lib/secrets.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { FromWorker, ToWorker, WorkerResponse, WorkerStart } from './messages.ts'

/** Small, because each event row is read only once. */
const CACHE_MB = 2

const { config, secrets } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const db = openDatabase(config, { user: 'sender', readonly: true, cacheMb: CACHE_MB })
const send = createSend({ db, config, apiKeys: createApiKeys(secrets) }, post)

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') void close()
  if (message.kind === 'send') {
    void answer(message.id, async id => ({ kind: 'sent', id, outcome: await send(message.task) }))
  }
  if (message.kind === 'overfull') {
    void answer(message.id, async id => ({
      kind: 'overfull',
      id,
      webhooks: await listOverfull(db, config.webhooksWaitingMax),
    }))
  }
})

async function answer(id: number, work: (id: number) => Promise<WorkerResponse>): Promise<void> {
  try {
    say(await work(id))
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

function say(message: FromWorker): void {
  port?.postMessage(message)
}

/** Aborts running requests, because their outcome can no longer be stored. */
async function close(): Promise<void> {
  await db.close()
  process.exit()
}

say({ kind: 'ready' })
