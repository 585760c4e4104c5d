/**
 * Where large bodies are parsed and checked before they go to the writer. A body with a fault is answered here, so that
 * parsing it delays nobody's write; any other goes back as the same bytes, and the writer parses it without these checks.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { CONTRACTS } from '@postil/domain/api/all'
import { pino } from 'pino'
import { toErrorReply } from '../http/errors.ts'
import { openReadInput } from '../http/read-input.ts'
import type { Answer, FromWorker, ToWorker, WorkerStart } from './messages.ts'

const { config } = workerData as WorkerStart
const port = parentPort
if (!port) throw new Error('this file is a worker thread of the server')

const log = pino({ level: config.logLevel })
const byId = new Map(CONTRACTS.map(contract => [contract.id, openReadInput(contract)]))

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return port.close()
  if (message.kind === 'check') void check(message)
})

async function check({ id, call }: Extract<ToWorker, { kind: 'check' }>): Promise<void> {
  try {
    await byId.get(call.routeId)?.(call)
    answer({ kind: 'checked', id, refusal: null, body: call.body })
  } catch (error) {
    answer({ kind: 'checked', id, refusal: toErrorReply(error, log, call.requestId), body: null })
  }
}

function answer(checked: Extract<Answer, { kind: 'checked' }>): void {
  port?.postMessage(checked satisfies FromWorker, checked.body ? [checked.body.buffer as ArrayBuffer] : [])
}

port.postMessage({ kind: 'ready' } satisfies FromWorker)
