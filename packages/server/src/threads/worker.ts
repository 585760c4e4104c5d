/** Entry of a worker thread: what it runs is imported once compiled code is kept. */
import { workerData } from 'node:worker_threads'
import { keepCompiledCode } from '../lib/compile-cache.ts'
import { mapStackTraces } from '../lib/stack-traces.ts'
import type { WorkerStart } from './messages.ts'

keepCompiledCode()
mapStackTraces()
await ((workerData as WorkerStart).role === 'checker' ? import('./run-checker.ts') : import('./run-worker.ts'))
