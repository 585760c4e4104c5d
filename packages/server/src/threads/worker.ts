/** Entry of a worker thread: what it runs is imported once compiled code is kept. */
import { workerData } from 'node:worker_threads'
import { keepCompiledCode } from '../lib/compile-cache.ts'
import { mapStackTraces } from '../lib/stack-traces.ts'
import type { WorkerStart } from './messages.ts'

keepCompiledCode()
mapStackTraces()
const RUNS = {
  checker: () => import('./run-checker.ts'),
  merger: () => import('./run-merger.ts'),
  sender: () => import('./run-sender.ts'),
  indexer: () => import('./run-indexer.ts'),
}
const { role } = workerData as WorkerStart
await (role === 'writer' || role === 'search' || role === 'list' ? import('./run-worker.ts') : RUNS[role]())
