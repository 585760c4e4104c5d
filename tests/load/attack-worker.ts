/** Runs one attack in a separate thread, so that it does not delay the timers of the measurement. */
import { workerData } from 'node:worker_threads'
import { ATTACKS, type AttackName, type AttackTarget } from './attack-plans.ts'

export interface AttackOrder {
  name: AttackName
  target: AttackTarget
  until: number
}

const { name, target, until } = workerData as AttackOrder
await ATTACKS[name](target, until)
