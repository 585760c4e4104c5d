/**
 * Finds the write that makes the server fail, so that it does not block all others. After a few failures, writes are sent one at
 * a time, suspects last. A write that fails repeatedly on its own is set aside with the reason.
 */
import { TemporaryError } from './send.ts'
import type { Refusal, Write } from './write.ts'

const BATCH_MAX = 50
/** Failures in a row before writes are sent one at a time. Fewer failures may be caused by the server or the network. */
const BATCH_FAILURES_MAX = 3
/** Failed responses to a single write before it is set aside. */
const FAILED_MAX = 3
/**
 * Attempts without a response to a single write before it is set aside, provided that other writes get responses. Higher, because
 * networks fail at random.
 */
const UNHEARD_MAX = 10

interface FailureCounts {
  failed: number
  unheard: number
}

export function createFailureTracker() {
  const countsByRecord = new Map<string, FailureCounts>()
  let consecutive = 0
  let isSplit = false
  /** True once any batch has received a response. */
  let hasAnswered = false

  return {
    batchMax: () => (isSplit ? 1 : BATCH_MAX),
    /**
     * Sorts suspect writes last. The order within a record is preserved, because all writes of a record share one suspicion
     * count.
     */
    suspectsLast(writes: readonly Write[]): readonly Write[] {
      if (countsByRecord.size === 0) return writes
      const failuresOf = ({ recordId }: Write) => {
        const counts = countsByRecord.get(recordId)
        return counts ? counts.failed + counts.unheard : 0
      }
      return writes.toSorted((a, b) => failuresOf(a) - failuresOf(b))
    },
    /** Called when a batch got a response. */
    clear(batch: readonly Write[]): void {
      consecutive = 0
      hasAnswered = true
      for (const { recordId } of batch) countsByRecord.delete(recordId)
      if (countsByRecord.size === 0) isSplit = false
    },
    /** Called when a batch failed. Returns the write to set aside if it has been identified as the cause. */
    add(batch: readonly Write[], error: unknown): { write: Write; refusal: Refusal } | null {
      const kind = error instanceof TemporaryError ? error.kind : 'failed'
      if (kind === 'later') return null
      consecutive++
      if (consecutive >= BATCH_FAILURES_MAX) isSplit = true
      const [write] = batch
      if (batch.length > 1 || !write || !isSplit) return null
      const { failed, unheard } = countsByRecord.get(write.recordId) ?? { failed: 0, unheard: 0 }
      const counts = kind === 'failed' ? { failed: failed + 1, unheard } : { failed, unheard: unheard + 1 }
      countsByRecord.set(write.recordId, counts)
      if (counts.failed < FAILED_MAX && !(counts.unheard >= UNHEARD_MAX && hasAnswered)) return null
      countsByRecord.delete(write.recordId)
      const cause = error instanceof Error ? (error.cause ?? error) : error
      return {
        write,
        refusal: { kind: 'failed', message: cause instanceof Error ? cause.message : String(cause), current: null },
      }
    },
  }
}
