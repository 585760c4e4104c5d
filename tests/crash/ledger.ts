/** What one client knows of its writes: those that were answered, and the one that was under way when the server was killed. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** Key -> what is stored under it; null: nothing. */
export type Step<T> = ReadonlyMap<string, T | null>

export interface Ledger<T> {
  /** What must be stored, by what was answered. */
  answered(): ReadonlyMap<string, T>
  /** Sends a write. Its steps are stored in their order, each as a whole. */
  write(steps: readonly Step<T>[], send: () => Promise<void>): Promise<void>
  /**
   * Compares what is stored after a kill with what was answered. Of the write under way, any number of steps may be stored, from none
   * to all. What is stored counts as answered from then on.
   */
  settle(stored: ReadonlyMap<string, T>): void
}

export function openLedger<T>(): Ledger<T> {
  let answered: ReadonlyMap<string, T> = new Map()
  let underWay: readonly Step<T>[] = []

  return {
    answered: () => answered,
    write: async (steps, send) => {
      underWay = steps
      await send()
      for (const step of steps) answered = apply(answered, step)
      underWay = []
    },
    settle: stored => {
      const outcomes = [answered]
      for (const step of underWay) outcomes.push(apply(outcomes.at(-1) ?? answered, step))
      if (!outcomes.some(outcome => differing(outcome, stored).length === 0)) expectEqual(stored, answered)
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

/** Fails, and shows a few of the differences. */
function expectEqual<T>(stored: ReadonlyMap<string, T>, answered: ReadonlyMap<string, T>): void {
  const keys = differing(answered, stored)
  const pick = (from: ReadonlyMap<string, T>) => keys.slice(0, SHOWN).map(key => [key, from.get(key)])
  expect(pick(stored), `${keys.length} differ from what was answered, ${keys.slice(0, 100).join(' ')}`).toEqual(pick(answered))
}
