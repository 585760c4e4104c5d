/**
 * Writers that share the heads of datasets. A transaction does most of its work without waiting for others; then it locks the head of its
 * dataset, which it holds until its commit is on disk. So a dataset has at most one commit at a time, however many processes write.
 */
import { openRandom } from './corpus.ts'

interface Heads {
  writers: number
  datasets: number
  /** Before the lock, on average. */
  beforeMs: number
  /** From the lock to the end of the commit, on average. */
  heldMs: number
}

const TRANSACTIONS = 20_000

/** Transactions a second. Times vary as waiting times usually do (exponentially); the seed is fixed. */
export function simulateHeads({ writers, datasets, beforeMs, heldMs }: Heads): number {
  const random = openRandom(1)
  const draw = (mean: number) => -mean * Math.log(1 - random())
  /** When each writer asks for a lock next, and when each head is free again. */
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
