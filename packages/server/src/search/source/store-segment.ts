import type { Id } from '@postil/domain/schema'
import type { Config } from '../../config.ts'
import { addSegment } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import type { TextDocument } from '../engine.ts'
import { buildSegment } from '../segments/build.ts'
import { renumberSegment } from '../segments/renumber.ts'

/** Only the embedded engine needs segments; a search cluster has its own index. */
export const hasSegments = ({ searchEngine }: Pick<Config, 'searchEngine'>): boolean => searchEngine === 'embedded'

/**
 * Stores the text of records that a transaction adds or changes as one segment, so that committed text is immediately searchable.
 */
export function storeSegment(tx: Tx, datasetId: Id, documents: readonly TextDocument[]): void {
  const sorted = documents.toSorted((a, b) => a.recordNo - b.recordNo)
  if (sorted.length === 0) return
  const recordNos = sorted.map(({ recordNo }) => recordNo)
  add(tx, datasetId, recordNos, buildSegment(sorted))
}

/** Stores a segment that `buildTexts` has built. Documents with the record number null are left out. */
export function storeBuiltSegment(tx: Tx, datasetId: Id, bytes: Uint8Array, recordNos: readonly (number | null)[]): void {
  const stored = recordNos.filter(recordNo => recordNo !== null)
  if (stored.length > 0) add(tx, datasetId, stored, renumberSegment(bytes, recordNos))
}

/** Builds a segment of records that have no numbers yet: document `i` has the pieces `texts[i]`. */
export const buildUnnumberedSegment = (texts: readonly TextDocument['pieces'][]): Uint8Array =>
  buildSegment(texts.map((pieces, recordNo) => ({ recordNo, pieces })))

function add(tx: Tx, datasetId: Id, recordNos: readonly number[], bytes: Uint8Array): void {
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (const recordNo of recordNos) {
    first = Math.min(first, recordNo)
    last = Math.max(last, recordNo)
  }
  addSegment(tx, datasetId, { first_record_no: first, last_record_no: last, record_count: recordNos.length, bytes })
}
