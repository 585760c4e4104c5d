/** Compares the stored text segments of a dataset with the texts of its records. Must run in a snapshot. */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'
import { findSegmentBytes, listSegments, type StoredSegment } from '../../storage/text-segments.ts'
import { Bitmap } from '../bitmap.ts'
import { RecordNumbers } from '../index/record-numbers.ts'
import { addChecksums, checksumOf, SKIPPED } from '../segments/checksums.ts'
import { SegmentError } from '../segments/format.ts'
import { openSegment, type Segment } from '../segments/segment.ts'
import { type DatasetWithSettings, readTexts } from './read-texts.ts'

const NUMBERS_PER_QUERY = 100_000

/** Number of records with a problem, and the first of them. */
export interface AffectedRecords {
  count: number
  first: number | null
}

export interface SegmentDifferences {
  /** Number of compared records. */
  records: number
  /** Records whose text in the segments differs. */
  different: AffectedRecords
  /** Records that are not in any segment. */
  missing: AffectedRecords
  /** Segments that cannot be read, with the reason. */
  damaged: { segmentNo: number; reason: string }[]
}

/**
 * The indexed state of all records: for each, the checksum of its text in the newest segment that contains it. Needs only a few
 * bytes per record.
 */
interface IndexedChecksums {
  numbers: RecordNumbers
  /** Checksums by ordinal. */
  sums: Int32Array
  /** Ordinals of records that are in a segment. */
  seen: Bitmap
}

/**
 * Does not report entries of deleted records as differences: they stay in their segment until it is merged, and searches never
 * return them.
 */
export async function verifySegments(
  db: Queryable,
  dataset: DatasetWithSettings,
  progress: (done: number) => void,
): Promise<SegmentDifferences> {
  const numbers = await readNumbers(db, dataset.id)
  const indexed: IndexedChecksums = { numbers, sums: new Int32Array(numbers.size), seen: new Bitmap(numbers.size) }
  const damaged = await readSegments(db, dataset.id, indexed)
  return { ...(await compareRecords(db, dataset, indexed, progress)), damaged }
}

async function readNumbers(db: Queryable, datasetId: Id): Promise<RecordNumbers> {
  const datasetNo = await findDatasetNo(db, datasetId)
  const numbers = new RecordNumbers()
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit ?'
  for (let after = 0; ; ) {
    const nos = await db.sql.column<number>(text, [datasetNo, after, NUMBERS_PER_QUERY])
    const last = nos.at(-1)
    if (last === undefined) return numbers
    numbers.add(nos)
    after = last
  }
}

/**
 * Reads the newest segments first, because the newest segment that contains a record has its current text. Returns the segments
 * that cannot be read.
 */
async function readSegments(db: Queryable, datasetId: Id, indexed: IndexedChecksums): Promise<SegmentDifferences['damaged']> {
  const damaged: SegmentDifferences['damaged'] = []
  for (const stored of (await listSegments(db, datasetId)).reverse()) {
    try {
      const bytes = (await findSegmentBytes(db, datasetId, stored.segment_no)) ?? new Uint8Array()
      addSegment(openStored(stored, bytes), indexed)
    } catch (error) {
      if (!(error instanceof SegmentError)) throw error
      damaged.push({ segmentNo: stored.segment_no, reason: error.message })
    }
  }
  return damaged.reverse()
}

/**
 * Opens a segment and checks that its row covers all its records. The row determines which segments are read, and which records
 * are indexed at the next start.
 */
function openStored({ first_record_no, last_record_no, record_count }: StoredSegment, bytes: Uint8Array): Segment {
  const segment = openSegment(bytes)
  const isInside = segment.recordNos().every(recordNo => recordNo >= first_record_no && recordNo <= last_record_no)
  if (!isInside || record_count !== segment.documents) throw new SegmentError('Its row names other records than its bytes')
  return segment
}

function addSegment(segment: Segment, { numbers, sums, seen }: IndexedChecksums): void {
  const targets = Int32Array.from(segment.recordNos(), recordNo => {
    const ordinal = numbers.find(recordNo)
    return ordinal < 0 || seen.has(ordinal) ? SKIPPED : ordinal
  })
  for (const ordinal of targets) if (ordinal !== SKIPPED) seen.set(ordinal)
  addChecksums(segment, targets, sums)
}

async function compareRecords(
  db: Queryable,
  dataset: DatasetWithSettings,
  { numbers, sums, seen }: IndexedChecksums,
  progress: (done: number) => void,
): Promise<Omit<SegmentDifferences, 'damaged'>> {
  const different: AffectedRecords = { count: 0, first: null }
  const missing: AffectedRecords = { count: 0, first: null }
  let records = 0
  for (let after = 0; ; ) {
    const documents = await readTexts(db, dataset, { after, isLocked: false })
    const last = documents.at(-1)
    if (last === undefined) return { records, different, missing }
    for (const { recordNo, pieces } of documents) {
      const ordinal = numbers.find(recordNo)
      if (!seen.has(ordinal)) addFound(missing, recordNo)
      else if (sums[ordinal] !== checksumOf(pieces)) addFound(different, recordNo)
    }
    after = last.recordNo
    records += documents.length
    progress(records)
  }
}

function addFound(found: AffectedRecords, recordNo: number): void {
  found.first ??= recordNo
  found.count++
}
