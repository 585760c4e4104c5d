/**
 * Hub thread: imports and exports records from and to the hub and files, and inspects uploads, without blocking the threads that
 * serve requests. It only reads the database.
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { ShapeError, type ShapeProblem } from '@postil/domain/errors'
import { RecordUpsert } from '@postil/domain/records'
import { ROUTES } from '../features/all.ts'
import { createHubWork } from '../features/hub/work.ts'
import { createRunCall } from '../http/run-call.ts'
import { compileSchema } from '../http/validate.ts'
import { openContext } from '../open-context.ts'
import { type FromWorker, type ToWorker, toFailure, type WorkerStart } from './messages.ts'

/** Small, because each record is read only once. */
const CACHE_MB = 4
/** Low priority: decoding and encoding use CPU time that requests leave. */
const NICENESS = 10

const { config, secrets } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

// On other platforms this would set the priority of the whole process instead of the thread.
if (process.platform === 'linux') setPriority(NICENESS)

const ctx = openContext({ config, secrets, user: 'hub', readonly: true, cacheMb: CACHE_MB })
const validate = compileSchema(RecordUpsert)
const hubWork = createHubWork(ctx, item => {
  const problems: ShapeProblem[] = []
  const checked = validate(item, [], problems)
  if (problems.length > 0) throw new ShapeError(problems)
  // Safe cast: the validator returns a value of the schema's type.
  return checked as RecordUpsert
})

const runCall = createRunCall(ROUTES.filter(({ contract }) => contract.runs === 'apart'))

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') void close()
  if (message.kind === 'hub-work') void answer(message)
  if (message.kind === 'call') void reply(message)
})

/** Never rejects: every failure is a reply. */
async function reply({ id, call }: Extract<ToWorker, { kind: 'call' }>): Promise<void> {
  say({ kind: 'reply', id, reply: await runCall(ctx, call) })
}

async function answer({ id, work }: Extract<ToWorker, { kind: 'hub-work' }>): Promise<void> {
  try {
    const result = await hubWork.run(work)
    const bytes = 'batch' in result ? result.batch.prepared : null
    say({ kind: 'hub-work', id, result }, bytes ? [bytes.buffer as ArrayBuffer] : [])
  } catch (error) {
    say({ kind: 'failed', id, ...toFailure(error) })
  }
}

function say(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

/** Aborts running work, of which nothing has been stored. */
async function close(): Promise<void> {
  await hubWork.close()
  await ctx.search.close()
  await ctx.db.close()
  process.exit()
}

say({ kind: 'ready' })
