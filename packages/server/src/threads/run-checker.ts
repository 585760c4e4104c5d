/**
 * Checker thread: parses, checks and prepares large bodies before they go to the writer. An invalid body is rejected here, so
 * that parsing it does not delay writes. For a valid one, the writer receives the parsed values or the data that the route
 * prepares from them.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { ROUTES } from '../features/all.ts'
import { createCheckCall } from '../http/check-call.ts'
import { openContext } from '../open-context.ts'
import type { FromWorker, ToWorker, WorkerResponse, WorkerStart } from './messages.ts'

/** Small, because only dataset settings are read. */
const CACHE_MB = 2

const { config, secrets } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const ctx = openContext({ config, secrets, user: 'checker', readonly: true, cacheMb: CACHE_MB })
const checkCall = createCheckCall(ROUTES)

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return void close()
  if (message.kind === 'check') void check(message)
})

async function check({ id, call }: Extract<ToWorker, { kind: 'check' }>): Promise<void> {
  const outcome = await checkCall(ctx, call)
  const own = 'refusal' in outcome ? [] : [outcome.checked, outcome.prepared, outcome.body]
  const transfer = own.flatMap(bytes => (bytes ? [bytes.buffer as ArrayBuffer] : []))
  port?.postMessage({ kind: 'checked', id, outcome } satisfies WorkerResponse satisfies FromWorker, transfer)
}

async function close(): Promise<void> {
  await ctx.search.close()
  await ctx.db.close()
  port?.close()
}

port.postMessage({ kind: 'ready' } satisfies FromWorker)
