/**
 * Where large bodies are parsed and checked before they go to the writer. A body with a fault is answered here, so that
 * parsing it delays nobody's write; of any other the writer gets the values that were read.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { CONTRACTS } from '@postil/domain/api/all'
import { pino } from 'pino'
import { toCheckedBytes } from '../http/checked-input.ts'
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
    const readInput = byId.get(call.routeId)
    if (!readInput) throw new Error(`no contract \`${call.routeId}\``)
    const checked = toCheckedBytes(await readInput(call))
    answer({ kind: 'checked', id, outcome: { checked } }, [checked.buffer as ArrayBuffer])
  } catch (error) {
    answer({ kind: 'checked', id, outcome: { refusal: toErrorReply(error, log, call.requestId) } })
  }
}

function answer(checked: Extract<Answer, { kind: 'checked' }>, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(checked satisfies FromWorker, transfer)
}

port.postMessage({ kind: 'ready' } satisfies FromWorker)
