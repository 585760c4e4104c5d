import type { Id } from '@postil/domain/schema'
import { addSegment } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import type { TextDocument } from '../engine.ts'
import { buildSegment } from '../segments/build.ts'

/** Stores the text of records that a transaction adds or changes, as one segment: what is committed can be searched. */
export function storeSegment(tx: Tx, datasetId: Id, documents: readonly TextDocument[]): void {
  const [first, ...others] = documents.toSorted((a, b) => a.recordNo - b.recordNo)
  if (first === undefined) return
  const sorted = [first, ...others]
  addSegment(tx, datasetId, {
    first_record_no: first.recordNo,
    last_record_no: (others.at(-1) ?? first).recordNo,
    record_count: sorted.length,
    bytes: buildSegment(sorted),
  })
}
