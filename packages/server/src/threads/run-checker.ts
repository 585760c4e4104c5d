/**
 * Where large bodies are parsed, checked and prepared before they go to the writer. A body with a fault is answered here, so that
 * parsing it delays nobody's write; of any other the writer gets the values that were read, or what the route prepares of them.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { ROUTES } from '../features/all.ts'
import { openCheckCall } from '../http/check-call.ts'
import { openContext } from '../open-context.ts'
import type { Answer, FromWorker, ToWorker, WorkerStart } from './messages.ts'

/** Only settings of datasets are read. */
const CACHE_MB = 2

const { config, secrets } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const ctx = openContext({ config, secrets, user: 'checker', readonly: true, cacheMb: CACHE_MB })
const checkCall = openCheckCall(ROUTES)

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return void close()
  if (message.kind === 'check') void check(message)
})

async function check({ id, call }: Extract<ToWorker, { kind: 'check' }>): Promise<void> {
  const outcome = await checkCall(ctx, call)
  const own = 'refusal' in outcome ? [] : [outcome.checked, outcome.prepared, outcome.body]
  const transfer = own.flatMap(bytes => (bytes ? [bytes.buffer as ArrayBuffer] : []))
  port?.postMessage({ kind: 'checked', id, outcome } satisfies Answer satisfies FromWorker, transfer)
}

async function close(): Promise<void> {
  await ctx.search.close()
  await ctx.db.close()
  port?.close()
}

port.postMessage({ kind: 'ready' } satisfies FromWorker)
