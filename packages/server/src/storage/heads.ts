/**
 * Collects the changes of a transaction to dataset heads, which are written at its end (changes.ts), so that the lock of a head
 * is held only for the commit.
 */
import type { ChangeDetails, ChangeName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { NewSegment } from './text-segments.ts'
import type { Tx } from './write.ts'

export interface NewChange {
  event: ChangeName
  /** Affected records. */
  recordNos?: readonly number[]
  details?: ChangeDetails
}

export interface HeadChange {
  changes: NewChange[]
  /** Changes of the totals; negative for deletions. */
  records: number
  completed: number
  activityAt: string | null
  /** Text of the records that the transaction writes. */
  segment?: NewSegment
}

function headOf(tx: Tx, datasetId: Id): HeadChange {
  const known = tx.heads.get(datasetId)
  if (known) return known
  const head: HeadChange = { changes: [], records: 0, completed: 0, activityAt: null }
  tx.heads.set(datasetId, head)
  return head
}

export function addChange(tx: Tx, datasetId: Id, change: NewChange): void {
  headOf(tx, datasetId).changes.push(change)
}

/** Keeps the totals of a dataset in sync with its records. */
export function addToCounts(tx: Tx, datasetId: Id, change: { records: number; completed: number }): void {
  const head = headOf(tx, datasetId)
  head.records += change.records
  head.completed += change.completed
}

export function touchActivity(tx: Tx, datasetId: Id, now: string): void {
  headOf(tx, datasetId).activityAt = now
}

/** Stores a text segment under the change number of the transaction, which is known only at its end. */
export function addSegment(tx: Tx, datasetId: Id, segment: NewSegment): void {
  const head = headOf(tx, datasetId)
  if (head.segment) throw new Error('A transaction writes one text segment for each dataset')
  head.segment = segment
}
