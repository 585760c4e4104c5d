/** Assigns record numbers to a segment that was built before they were known. */
import { Bitmap } from '../bitmap.ts'
import { withRecordNos } from './format.ts'
import { mergeSegments } from './merge.ts'
import { RecordNoWriter } from './record-nos.ts'
import { openSegment } from './segment.ts'

/** Assigns the number `recordNos[i]` to document `i`. Documents without a number are left out. */
export function renumberSegment(bytes: Uint8Array, recordNos: readonly (number | null)[]): Uint8Array<ArrayBuffer> {
  const writer = new RecordNoWriter()
  const left = new Bitmap(recordNos.length)
  for (const [document, recordNo] of recordNos.entries()) {
    if (recordNo === null) left.set(document)
    else writer.add(recordNo)
  }
  return withRecordNos(left.isEmpty() ? bytes : withoutDocuments(bytes, left), writer.bytes)
}

/** Removes documents by merging only this segment, which does not process the texts again. */
function withoutDocuments(bytes: Uint8Array, deleted: Bitmap): Uint8Array {
  const steps = mergeSegments([{ segment: openSegment(bytes), deleted }])
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
