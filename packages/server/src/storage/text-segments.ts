/**
 * All SQL of `text_segments`: the stored segments of each dataset's text index.
 *
 * A segment's number is the change number of the transaction that wrote it, so numbers are in commit order: if several segments
 * contain a record, the one with the highest number has its current text.
 */
import type { Id } from '@postil/domain/schema'
import { type Database, marks, type Queryable } from './database.ts'

export interface NewSegment {
  first_record_no: number
  last_record_no: number
  record_count: number
  bytes: Uint8Array
}

export interface StoredSegment extends Omit<NewSegment, 'bytes'> {
  segment_no: number
  byte_count: number
}

export async function insertSegment(db: Queryable, datasetId: Id, segmentNo: number, segment: NewSegment): Promise<void> {
  const { first_record_no, last_record_no, record_count, bytes } = segment
  const text = `insert into text_segments (dataset_id, segment_no, first_record_no, last_record_no, record_count, bytes)
    values (?, ?, ?, ?, ?, ?)`
  await db.sql.run(text, [datasetId, segmentNo, first_record_no, last_record_no, record_count, bytes])
}

/** Lists the segments of a dataset, oldest first, without their bytes. */
export function listSegments(db: Queryable, datasetId: Id): Promise<StoredSegment[]> {
  const text = `select segment_no, first_record_no, last_record_no, record_count, length(bytes) as byte_count
    from text_segments where dataset_id = ? order by segment_no`
  return db.sql.all(text, [datasetId])
}

export const listDatasetsWithSegments = (db: Queryable): Promise<Id[]> =>
  db.sql.column('select distinct dataset_id from text_segments order by dataset_id')

/** Oldest first. */
export function listSegmentNumbers(db: Queryable, datasetId: Id): Promise<number[]> {
  return db.sql.column('select segment_no from text_segments where dataset_id = ? order by segment_no', [datasetId])
}

/** Returns null if the segment was merged into another or deleted. */
export async function findSegmentBytes(db: Queryable, datasetId: Id, segmentNo: number): Promise<Uint8Array | null> {
  const text = 'select bytes from text_segments where dataset_id = ? and segment_no = ?'
  return (await db.sql.get<{ bytes: Uint8Array }>(text, [datasetId, segmentNo]))?.bytes ?? null
}

export interface Replacement {
  /** The segment directly before `segmentNos`; null if they start with the dataset's first segment. */
  previousNo: number | null
  /** Adjacent segments, oldest first: all segments of the dataset from the first to the last of them. */
  segmentNos: readonly number[]
  /** Null if none of their records exists any more. */
  merged: NewSegment | null
}

/**
 * Replaces segments by one that was merged from them. It gets the highest of their numbers, so that segments written since the
 * merge began are newer. Returns false without changes if a segment is missing, if there is another between them, or if the one
 * before them is missing: that one may have been merged with the first one, which keeps its number when others are merged into
 * it.
 */
export function replaceSegments(db: Database, datasetId: Id, { previousNo, segmentNos, merged }: Replacement): Promise<boolean> {
  const expected = previousNo === null ? segmentNos : [previousNo, ...segmentNos]
  const last = Math.max(...segmentNos)
  return db.transaction(async tx => {
    const text = `select segment_no from text_segments where dataset_id = ? and segment_no between ? and ?
      order by segment_no${tx.dialect.forUpdate}`
    const present = await tx.sql.column<number>(text, [datasetId, previousNo ?? 0, last])
    if (present.join() !== expected.join()) return false
    const gone = `delete from text_segments where dataset_id = ? and segment_no in (${marks(segmentNos)})`
    await tx.sql.run(gone, [datasetId, ...segmentNos])
    if (merged !== null) await insertSegment(tx, datasetId, last, merged)
    return true
  })
}

/** Deletes the oldest segments of a dataset, at most `limit`; returns how many. */
export function deleteSomeSegments(db: Queryable, datasetId: Id, limit: number): Promise<number> {
  return deleteSegmentsUpTo(db, datasetId, { last: Number.MAX_SAFE_INTEGER, limit })
}

/** Deletes the oldest segments with numbers up to `last`, at most `limit`; returns how many. */
export async function deleteSegmentsUpTo(
  db: Queryable,
  datasetId: Id,
  { last, limit }: { last: number; limit: number },
): Promise<number> {
  const text = `delete from text_segments where dataset_id = ? and segment_no in
    (select segment_no from text_segments where dataset_id = ? and segment_no <= ? order by segment_no limit ?)`
  return (await db.sql.run(text, [datasetId, datasetId, last, limit])).changes
}

export interface UnindexedDataset {
  dataset_id: Id
  /** Texts of records up to this number are in segments. */
  indexed_to: number
  /** Number of records after it. */
  missing: number
}

/**
 * Lists published datasets whose newest records are not in a segment, because an older release wrote them or building their
 * segments was interrupted.
 *
 * This needs no marker, because if nothing is missing, the newest record of a dataset is always in a segment: a use case that
 * creates records stores their texts, including empty ones, in its own transaction; a merge keeps the texts of all existing
 * records; and missing segments are built in the order of record numbers, before anything else is written.
 */
export async function listUnindexed(db: Queryable): Promise<UnindexedDataset[]> {
  const text = `with indexed as materialized (
      select d.id as dataset_id, h.no as dataset_no,
        coalesce((select max(s.last_record_no) from text_segments s where s.dataset_id = d.id), 0) as indexed_to
      from datasets d join dataset_heads h on h.dataset_id = d.id where d.status = 'ready'
    )
    select i.dataset_id, i.indexed_to,
      (select count(*) from records r where r.dataset_no = i.dataset_no and r.no > i.indexed_to) as missing
    from indexed i order by i.dataset_id`
  return (await db.sql.all<UnindexedDataset>(text)).filter(({ missing }) => missing > 0)
}

export interface SegmentCount {
  dataset_id: Id
  segment_count: number
  last_segment_no: number
}

/** Counts the segments of datasets that have more than one. Reads only the primary key. */
export function listSegmentCounts(db: Queryable): Promise<SegmentCount[]> {
  const text = `select dataset_id, count(*) as segment_count, max(segment_no) as last_segment_no
    from text_segments group by dataset_id having count(*) > 1 order by dataset_id`
  return db.sql.all(text)
}
