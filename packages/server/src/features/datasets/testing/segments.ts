/** The text segments of a dataset in tests: written for records that others wrote, and merged. */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../../context.ts'
import { takeNewest } from '../../../search/embedded/merge-sources.ts'
import { runMerge } from '../../../search/segments/dataset.contract.ts'
import { openSegment, type Segment } from '../../../search/segments/segment.ts'
import { storeSegment } from '../../../search/source/store-segment.ts'
import { readChanges } from '../../../storage/changes.ts'
import type { Database } from '../../../storage/database.ts'
import { addChange } from '../../../storage/heads.ts'
import { findSegmentBytes, listSegments, replaceSegments } from '../../../storage/text-segments.ts'
import { write } from '../../../storage/write.ts'
import { toTextDocument } from '../../records/rows.ts'
import { listRecordsByNumbers } from '../../records/store.ts'
import { loadDatasetSettings } from '../settings.ts'
import { loadDataset } from '../store.ts'

/** Stores the current texts of the records that were created or updated after a change number. */
export async function storeTextsAfter(ctx: Context, datasetId: Id, after: number): Promise<void> {
  const read = await readChanges(ctx.db, datasetId, after, 1_000)
  if (read.kind === 'rebuild') throw new Error('The log does not reach back')
  const changes = read.changes.filter(({ event }) => event === 'record.created' || event === 'record.updated')
  const recordNos = [...new Set(changes.flatMap(({ record_nos }) => record_nos))]
  const settings = await loadDatasetSettings(ctx.db, await loadDataset(ctx.db, datasetId))
  const records = await listRecordsByNumbers(ctx.db, recordNos)
  const documents = records.map(({ no, fields }) => toTextDocument(settings, JSON.parse(fields), no))
  await write(ctx, async tx => {
    storeSegment(tx, datasetId, documents)
    addChange(tx, datasetId, { event: 'dataset.indexed' })
  })
}

/** Merges the segments from one index up to another into one, without texts that were replaced and records that do not exist. */
export async function mergeStored(db: Database, datasetId: Id, from: number, to: number): Promise<void> {
  const all = (await listSegments(db, datasetId)).map(({ segment_no }) => segment_no)
  const segmentNos = all.slice(from, to)
  if (segmentNos.length === 0) return
  const segments: Segment[] = []
  for (const no of segmentNos) segments.push(openSegment((await findSegmentBytes(db, datasetId, no)) ?? new Uint8Array()))
  const existing = new Set(await db.sql.column<number>('select no from records where dataset_id = ?', [datasetId]))
  const bytes = runMerge(takeNewest(segments, existing))
  const recordNos = [...openSegment(bytes).recordNos()]
  const range = { first_record_no: Math.min(...recordNos), last_record_no: Math.max(...recordNos) }
  const merged = recordNos.length === 0 ? null : { ...range, record_count: recordNos.length, bytes }
  await replaceSegments(db, datasetId, { previousNo: all[from - 1] ?? null, segmentNos, merged })
}
