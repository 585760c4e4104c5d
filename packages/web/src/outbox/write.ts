/** A write to be sent to the server, and the merging of later writes to the same record. */
import type { ErrorCode, Path } from '@postil/domain/errors'
import type { RecordResponse, ResponseStatus, ResponseValues } from '@postil/domain/responses'

export interface Write {
  /** Idempotency key: the server ignores a write that it has already applied. */
  id: string
  /** Id of the tab that made it. */
  tab: string
  userId: string
  datasetId: string
  recordId: string
  /** Null deletes the user's response, so that the record is pending again. */
  status: ResponseStatus | null
  values: ResponseValues
  /** When the user's response on the server had last changed when this write was made; null if there was no response. */
  base: string | null
  /** Status of that response. Missing in data stored by an earlier version. */
  baseStatus?: ResponseStatus | null
  /** Id of the response to change; null if there is none yet. */
  responseId: string | null
  /** Id of the unsent write to the same record that the user saw when they made this one; null if there was none. */
  upon: string | null
  madeAt: number
  /** Number of times it was sent without a response. If greater than 0, the server may already have it. */
  tries: number
  refusal: Refusal | null
}

/** Reason why the server rejected a write. The write is kept until the user decides. */
export interface Refusal {
  /** `failed`: the server failed on it repeatedly while it accepted other writes. */
  kind: 'conflict' | 'refused' | 'failed'
  /** The server's error text, in English. */
  message: string
  /** Missing if the server did not send a code, and in data stored by an earlier version. */
  code?: ErrorCode
  /** Path of the invalid value in the request, e.g. `['values', 'mood', 'value']`. */
  at?: Path
  /** For conflicts: the response that the server has. */
  current: RecordResponse | null
}

/**
 * Merges a waiting write with the next write to the same record: the later one replaces the earlier one and keeps its base. A
 * write that was made without seeing the earlier one (in another tab) does not replace it: both are sent, so that the server
 * detects the conflict.
 */
export function mergeWrites(earlier: Write, later: Write): Write | 'nothing' | 'both' {
  // The server may already have the earlier write (its response may be lost), so the later one must follow it.
  if (earlier.tries > 0 || earlier.refusal || later.upon !== earlier.id) return 'both'
  if (later.status === null && earlier.base === null && earlier.upon === null) return 'nothing'
  const { base, baseStatus = null, responseId, upon } = earlier
  return { ...later, base, baseStatus, responseId, upon }
}

/** Returns the writes to send next: the first of each record, deletions separately, at most `max`. */
export function nextBatch(writes: readonly Write[], inFlight: ReadonlySet<string>, max: number): Write[] {
  const seen = new Set(inFlight)
  const batch: Write[] = []
  for (const write of writes) {
    if (seen.has(write.recordId)) continue
    seen.add(write.recordId)
    if (write.refusal) continue
    if (write.status === null) {
      if (batch.length === 0) return [write]
      continue
    }
    batch.push(write)
    if (batch.length === max) break
  }
  return batch
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/** Exponential backoff with jitter, so that many clients do not retry at the same time. */
export const pauseAfter = (failures: number, chance = Math.random()) =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.75 + chance / 2)
