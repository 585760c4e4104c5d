import type { Id } from '@postil/domain/schema'
import { toMergeSources } from '../../../search/embedded/merge-sources.ts'
import { runMerge } from '../../../search/segments/dataset.contract.ts'
import { openSegment, type Segment } from '../../../search/segments/segment.ts'
import type { Database } from '../../../storage/database.ts'
import { findSegmentBytes, listSegments, replaceSegments } from '../../../storage/text-segments.ts'

/** Merges the segments from index `from` up to `to` into one, without replaced texts and deleted records. */
export async function mergeStored(db: Database, datasetId: Id, from: number, to: number): Promise<void> {
  const all = (await listSegments(db, datasetId)).map(({ segment_no }) => segment_no)
  const segmentNos = all.slice(from, to)
  if (segmentNos.length === 0) return
  const segments: Segment[] = []
  for (const no of segmentNos) segments.push(openSegment((await findSegmentBytes(db, datasetId, no)) ?? new Uint8Array()))
  const existing = new Set(
    await db.sql.column<number>('select no from records where dataset_no = (select no from dataset_heads where dataset_id = ?)', [
      datasetId,
    ]),
  )
  const bytes = runMerge(toMergeSources(segments, existing))
  const recordNos = [...openSegment(bytes).recordNos()]
  const range = { first_record_no: Math.min(...recordNos), last_record_no: Math.max(...recordNos) }
  const merged = recordNos.length === 0 ? null : { ...range, record_count: recordNos.length, bytes }
  await replaceSegments(db, datasetId, { previousNo: all[from - 1] ?? null, segmentNos, merged })
}
