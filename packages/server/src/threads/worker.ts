/** Entry point of a worker thread. Imports the thread's module after the compile cache is enabled. */
import { workerData } from 'node:worker_threads'
import { enableCodeCache } from '../lib/compile-cache.ts'
import { mapStackTraces } from '../lib/stack-traces.ts'
import type { WorkerStart } from './messages.ts'

enableCodeCache()
mapStackTraces()
const RUNS = {
  checker: () => import('./run-checker.ts'),
  merger: () => import('./run-merger.ts'),
  sender: () => import('./run-sender.ts'),
  indexer: () => import('./run-indexer.ts'),
  hub: () => import('./run-hub.ts'),
}
const { role } = workerData as WorkerStart
await (role === 'writer' || role === 'search' || role === 'list' ? import('./run-worker.ts') : RUNS[role]())
