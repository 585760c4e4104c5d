/** The writes of one client: acknowledged ones, and the one in flight when the server was killed. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** Stored values by key; null if the key is deleted. */
export type Step<T> = ReadonlyMap<string, T | null>

export interface Ledger<T> {
  /** Sends a write. Its steps are stored in order, each atomically. */
  write(steps: readonly Step<T>[], send: () => Promise<void>): Promise<void>
  /**
   * Compares the stored values after a kill with the acknowledged writes. Any number of steps of the write in flight may be
   * stored, from none to all. Stored values count as acknowledged from then on.
   */
  settle(stored: ReadonlyMap<string, T>): void
  /** Compares the stored values in the same way, but the write in flight may still be acknowledged. For copies. */
  check(stored: ReadonlyMap<string, T>): void
}

export function createLedger<T>(): Ledger<T> {
  let answered: ReadonlyMap<string, T> = new Map()
  let underWay: readonly Step<T>[] = []

  const check = (stored: ReadonlyMap<string, T>) => {
    const outcomes = [answered]
    for (const step of underWay) outcomes.push(apply(outcomes.at(-1) ?? answered, step))
    if (!outcomes.some(outcome => differing(outcome, stored).length === 0)) expectEqual(stored, answered)
  }
  return {
    write: async (steps, send) => {
      underWay = steps
      await send()
      for (const step of steps) answered = apply(answered, step)
      underWay = []
    },
    check,
    settle: stored => {
      check(stored)
      answered = stored
      underWay = []
    },
  }
}

function apply<T>(before: ReadonlyMap<string, T>, step: Step<T>): ReadonlyMap<string, T> {
  const after = new Map(before)
  for (const [key, value] of step) {
    if (value === null) after.delete(key)
    else after.set(key, value)
  }
  return after
}

const differing = <T>(one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter(key => !isDeepStrictEqual(one.get(key), other.get(key)))

const SHOWN = 3

/** Fails and shows some of the differences. */
function expectEqual<T>(stored: ReadonlyMap<string, T>, answered: ReadonlyMap<string, T>): void {
  const keys = differing(answered, stored)
  const pick = (from: ReadonlyMap<string, T>) => keys.slice(0, SHOWN).map(key => [key, from.get(key)])
  expect(pick(stored), `${keys.length} differ from what was answered, ${keys.slice(0, 100).join(' ')}`).toEqual(pick(answered))
}
