/**
 * Which write makes the server fail. One that it cannot process must not hold up all the others: after a few failures writes
 * are sent one at a time, the doubtful ones last, and one that fails again and again by itself is set aside with its reason.
 */
import { Unreachable } from './send.ts'
import type { Refusal, Write } from './write.ts'

const BATCH_MAX = 50
/** So many failures in a row may be the server's or the network's. */
const TOGETHER_MAX = 3
/** Alone, with an answer that says "I failed". */
const ALONE_MAX = 3
/** Alone, without an answer, while other writes get theirs: networks fail by chance, so it takes more. */
const UNHEARD_MAX = 10

interface Doubt {
  failed: number
  unheard: number
}

export function openBlame() {
  const doubts = new Map<string, Doubt>()
  let inRow = 0
  let isSplit = false
  /** Something was answered since a write was last doubted. */
  let hasAnswered = false

  return {
    batchMax: () => (isSplit ? 1 : BATCH_MAX),
    /** Doubtful ones last. The order within a record stays: all of its writes are doubted together. */
    inOrder(writes: readonly Write[]): readonly Write[] {
      if (doubts.size === 0) return writes
      const doubtOf = ({ recordId }: Write) => {
        const doubt = doubts.get(recordId)
        return doubt ? doubt.failed + doubt.unheard : 0
      }
      return writes.toSorted((a, b) => doubtOf(a) - doubtOf(b))
    },
    /** The batch got an answer. */
    clear(batch: readonly Write[]): void {
      inRow = 0
      hasAnswered = true
      for (const { recordId } of batch) doubts.delete(recordId)
      if (doubts.size === 0) isSplit = false
    },
    /** The batch failed. Answers the write that is to be set aside, if it is clear by now that it is that one. */
    add(batch: readonly Write[], error: unknown): { write: Write; refusal: Refusal } | null {
      const kind = error instanceof Unreachable ? error.kind : 'failed'
      if (kind === 'later') return null
      inRow++
      if (inRow >= TOGETHER_MAX) isSplit = true
      const [write] = batch
      if (batch.length > 1 || !write || !isSplit) return null
      const { failed, unheard } = doubts.get(write.recordId) ?? { failed: 0, unheard: 0 }
      const doubt = kind === 'failed' ? { failed: failed + 1, unheard } : { failed, unheard: unheard + 1 }
      doubts.set(write.recordId, doubt)
      if (doubt.failed < ALONE_MAX && !(doubt.unheard >= UNHEARD_MAX && hasAnswered)) return null
      doubts.delete(write.recordId)
      const cause = error instanceof Error ? (error.cause ?? error) : error
      return {
        write,
        refusal: { kind: 'failed', message: cause instanceof Error ? cause.message : String(cause), current: null },
      }
    },
  }
}
