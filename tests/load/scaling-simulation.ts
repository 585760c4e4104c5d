/**
 * Simulates writers that share dataset heads. A transaction does most of its work without waiting; then it locks the head of its
 * dataset and holds the lock until its commit is on disk. So a dataset has at most one commit at a time, regardless of the number
 * of processes.
 */
import { openRandom } from './corpus.ts'

interface Heads {
  writers: number
  datasets: number
  /** Average time before the lock. */
  beforeMs: number
  /** Average time from the lock to the end of the commit. */
  heldMs: number
}

const TRANSACTIONS = 20_000

/** Returns transactions per second. Times are exponentially distributed; the seed is fixed. */
export function simulateHeads({ writers, datasets, beforeMs, heldMs }: Heads): number {
  const random = openRandom(1)
  const draw = (mean: number) => -mean * Math.log(1 - random())
  /** Time of the next lock request of each writer, and the time at which each head becomes free. */
  const asks = Array.from({ length: writers }, () => draw(beforeMs))
  const freeAt = new Array<number>(datasets).fill(0)
  let now = 0
  for (let done = 0; done < TRANSACTIONS; done++) {
    const writer = asks.indexOf(Math.min(...asks))
    const dataset = Math.floor(random() * datasets)
    const end = Math.max(asks[writer] ?? 0, freeAt[dataset] ?? 0) + draw(heldMs)
    freeAt[dataset] = end
    asks[writer] = end + draw(beforeMs)
    now = Math.max(now, end)
  }
  return (TRANSACTIONS * 1000) / now
}
