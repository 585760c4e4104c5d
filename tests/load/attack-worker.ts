/** Runs one attack in a thread of its own, so that the work of attacking does not delay the clock of those who measure. */
import { workerData } from 'node:worker_threads'
import { ATTACKS, type AttackName, type AttackTarget } from './attack-plans.ts'

export interface AttackOrder {
  name: AttackName
  target: AttackTarget
  until: number
}

const { name, target, until } = workerData as AttackOrder
await ATTACKS[name](target, until)
