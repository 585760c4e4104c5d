/** Worker thread that hashes passwords, one at a time. */
import { parentPort } from 'node:worker_threads'
import { openBlockingPasswords } from '../lib/password.ts'
import { mapStackTraces } from '../lib/stack-traces.ts'
import type { HashResult, HashTask } from './hasher.ts'

const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

mapStackTraces()
const passwords = await openBlockingPasswords()

function run(task: HashTask): HashResult {
  try {
    return task.kind === 'hash'
      ? { kind: 'done', value: passwords.hash(task.password) }
      : { kind: 'done', value: passwords.fits(task.passwordHash, task.password) }
  } catch (error) {
    // An invalid stored hash fails one request, not the thread.
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

port.on('message', (task: HashTask) => port.postMessage(run(task)))
