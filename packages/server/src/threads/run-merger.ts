/**
 * Where text segments are merged, off the threads that people wait for. It only reads: the writer stores what was merged. One merge at a
 * time, when the main thread asks.
 */
import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { openMerges, type TextMerge } from '../search/embedded/merge-datasets.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'

/** Segments are read once each. */
const CACHE_MB = 2
/** Merges use what requests leave of the processor. */
const NICENESS = 10

const { config } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

// Elsewhere this would be the priority of the whole process, and not of the thread.
if (process.platform === 'linux') setPriority(NICENESS)

const db = openDatabase(config, { user: 'merger', readonly: true, cacheMb: CACHE_MB })
// Messages come in between, so that closing does not wait for a merge.
const merges = openMerges(db, () => setImmediate())

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') void close()
  if (message.kind === 'merge') void merge(message.id)
})

async function merge(id: number): Promise<void> {
  try {
    const merged = await merges.next()
    say({ kind: 'merged', id, merge: merged }, buffersOf(merged))
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
}

/** The bytes are handed over without a copy. */
function buffersOf(merge: TextMerge | null): ArrayBuffer[] {
  const bytes = merge?.replacement.merged?.bytes
  return bytes ? [bytes.buffer as ArrayBuffer] : []
}

function say(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

/** A merge that has begun is given up: nothing of it is stored. */
async function close(): Promise<void> {
  await db.close()
  process.exit()
}

say({ kind: 'ready' })
