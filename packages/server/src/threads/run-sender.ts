/** Where webhooks are called: what is sent is read, put together and signed here, off the threads that people wait for. It only reads. */
import { parentPort, workerData } from 'node:worker_threads'
import { listOverfull } from '../features/webhooks/backlog.ts'
import { openSend } from '../features/webhooks/send.ts'
import { post } from '../lib/outgoing.ts'
import { openApiKeys } from '../lib/secrets.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { Answer, FromWorker, ToWorker, WorkerStart } from './messages.ts'

/** Rows of events are read once each. */
const CACHE_MB = 2

const { config, secrets } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const db = openDatabase(config, { user: 'sender', readonly: true, cacheMb: CACHE_MB })
const send = openSend({ db, config, apiKeys: openApiKeys(secrets) }, post)

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

async function answer(id: number, work: (id: number) => Promise<Answer>): Promise<void> {
  try {
    say(await work(id))
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

function say(message: FromWorker): void {
  port?.postMessage(message)
}

/** Requests that run are ended: what they came to could not be stored any more. */
async function close(): Promise<void> {
  await db.close()
  process.exit()
}

say({ kind: 'ready' })
