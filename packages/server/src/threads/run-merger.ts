/**
 * Merger thread: merges text segments without blocking the threads that serve requests. It only reads; the writer stores the
 * result. Runs one merge at a time, on request of the main thread.
 */
import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createMerges, type TextMerge } from '../search/embedded/merge-datasets.ts'
import { openDatabase } from '../storage/open-database.ts'
import { type FromWorker, type ToWorker, toFailure, type WorkerStart } from './messages.ts'

/** Small, because each segment is read only once. */
const CACHE_MB = 2
/** Low priority: merges use CPU time that requests leave. */
const NICENESS = 10

const { config } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

// On other platforms this would set the priority of the whole process instead of the thread.
if (process.platform === 'linux') setPriority(NICENESS)

const db = openDatabase(config, { user: 'merger', readonly: true, cacheMb: CACHE_MB })
// Yields to the event loop during a merge, so that a `close` message does not wait for the merge.
const merges = createMerges(db, () => setImmediate())

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') void close()
  if (message.kind === 'merge') void merge(message.id)
})

async function merge(id: number): Promise<void> {
  try {
    const merged = await merges.next()
    say({ kind: 'merged', id, merge: merged }, buffersOf(merged))
  } catch (error) {
    say({ kind: 'failed', id, ...toFailure(error) })
  }
}

/** Buffers to transfer instead of copying. */
function buffersOf(merge: TextMerge | null): ArrayBuffer[] {
  const bytes = merge?.replacement.merged?.bytes
  return bytes ? [bytes.buffer as ArrayBuffer] : []
}

function say(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

/** Aborts a running merge, of which nothing has been stored. */
async function close(): Promise<void> {
  await db.close()
  process.exit()
}

say({ kind: 'ready' })
