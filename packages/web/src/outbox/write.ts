/** A write on its way to the server, and how a later one to the same record takes over. */
import type { RecordResponse, ResponseStatus, ResponseValues } from '@postil/domain/responses'

export interface Write {
  /** The server knows a write by it: sending it again changes nothing. */
  id: string
  /** The tab that made it. */
  tab: string
  userId: string
  datasetId: string
  recordId: string
  /** Null: take my response away, so that the record is pending again. */
  status: ResponseStatus | null
  values: ResponseValues
  /** What the server had when this was made: when my response last changed, null when there was none. */
  base: string | null
  /** Of the response it changes; null as long as there is none. */
  responseId: string | null
  /** The unsent write to the same record that the person saw when they made this one; null when there was none. */
  upon: string | null
  madeAt: number
  /** How often it was sent without an answer: the server may have it already. */
  tries: number
  refusal: Refusal | null
}

/** The server will not take it as it is; it is kept until a person decides. */
export interface Refusal {
  /** `failed`: the server failed on it again and again, while it took others. */
  kind: 'conflict' | 'refused' | 'failed'
  message: string
  /** Of a conflict: what the server has instead. */
  current: RecordResponse | null
}

/**
 * What replaces a waiting write and the next to the same record: the later one, made upon what the earlier one was made upon.
 * One that was made without knowledge of the earlier one (in another tab) does not replace it: the server sees both.
 */
export function mergeWrites(earlier: Write, later: Write): Write | 'nothing' | 'both' {
  // Its answer got lost, perhaps: the later one has to come after it.
  if (earlier.tries > 0 || earlier.refusal || later.upon !== earlier.id) return 'both'
  if (later.status === null && earlier.base === null && earlier.upon === null) return 'nothing'
  return { ...later, base: earlier.base, responseId: earlier.responseId, upon: earlier.upon }
}

/** The writes to send next: the first of each record, deletions alone, at most `max`. */
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

/** How long to wait after so many failures in a row; varied, so that many people do not come back at once. */
export const pauseAfter = (failures: number, chance = Math.random()) =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.75 + chance / 2)
