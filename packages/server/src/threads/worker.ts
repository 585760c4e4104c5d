/** Entry of a worker thread: what it runs is imported once compiled code is kept. */
import { keepCompiledCode } from '../lib/compile-cache.ts'

keepCompiledCode()
await import('./run-worker.ts')
