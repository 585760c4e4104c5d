/** Handles signals during a long command, which then undoes its changes and ends. */
import { OperatorError } from '../lib/operator-error.ts'

export interface Stop {
  signal: AbortSignal
  /** Throws if a signal has arrived. */
  check(): void
}

/** `outcome` describes the state after the command was stopped. */
export function openStop(outcome: string): Stop & { release(): void } {
  const controller = new AbortController()
  const onSignal = (name: string) => controller.abort(name)
  for (const name of ['SIGTERM', 'SIGINT']) process.on(name, onSignal)
  return {
    signal: controller.signal,
    check: () => {
      if (controller.signal.aborted) throw new OperatorError(`Stopped by ${controller.signal.reason}. ${outcome}`)
    },
    release: () => {
      for (const name of ['SIGTERM', 'SIGINT']) process.off(name, onSignal)
    },
  }
}
