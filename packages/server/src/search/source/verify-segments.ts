/** Compares the stored text segments of a dataset with the texts of its records. It runs inside a snapshot. */
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'
import { findSegmentBytes, listSegments, type StoredSegment } from '../../storage/text-segments.ts'
import { Bitmap } from '../bitmap.ts'
import { RecordNumbers } from '../index/record-numbers.ts'
import { addChecksums, checksumOf, LEFT_OUT } from '../segments/checksums.ts'
import { SegmentError } from '../segments/format.ts'
import { openSegment, type Segment } from '../segments/segment.ts'
import { type ReadDataset, readTexts } from './read-texts.ts'

const NUMBERS_PER_QUERY = 100_000

/** Of some records: how many, and the first of them. */
export interface RecordsFound {
  count: number
  first: number | null
}

export interface SegmentDifferences {
  /** How many records were compared. */
  records: number
  /** Records that are in a segment with another text. */
  different: RecordsFound
  /** Records that are in no segment. */
  missing: RecordsFound
  /** Segments that cannot be used, and why. */
  damaged: { segmentNo: number; reason: string }[]
}

/** A few bytes for each record of the dataset: what is stored of it in the newest segment that holds it. */
interface Indexed {
  numbers: RecordNumbers
  /** By ordinal. */
  sums: Int32Array
  /** Ordinals of records that are in a segment. */
  seen: Bitmap
}

/**
 * Entries of records that do not exist are not differences: a deleted record stays in its segment until that is merged, and is never
 * found.
 */
export async function verifySegments(
  db: Queryable,
  dataset: ReadDataset,
  progress: (done: number) => void,
): Promise<SegmentDifferences> {
  const numbers = await readNumbers(db, dataset.id)
  const indexed: Indexed = { numbers, sums: new Int32Array(numbers.size), seen: new Bitmap(numbers.size) }
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

/** Newest first, because the newest segment that holds a record has its text. Returns the segments that cannot be used. */
async function readSegments(db: Queryable, datasetId: Id, indexed: Indexed): Promise<SegmentDifferences['damaged']> {
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

/** Its row must not hide records that its bytes hold: the row says which segments are read, and what is built at the next start. */
function openStored({ first_record_no, last_record_no, record_count }: StoredSegment, bytes: Uint8Array): Segment {
  const segment = openSegment(bytes)
  const isInside = segment.recordNos().every(recordNo => recordNo >= first_record_no && recordNo <= last_record_no)
  if (!isInside || record_count !== segment.documents) throw new SegmentError('Its row names other records than its bytes')
  return segment
}

function addSegment(segment: Segment, { numbers, sums, seen }: Indexed): void {
  const targets = Int32Array.from(segment.recordNos(), recordNo => {
    const ordinal = numbers.find(recordNo)
    return ordinal < 0 || seen.has(ordinal) ? LEFT_OUT : ordinal
  })
  for (const ordinal of targets) if (ordinal !== LEFT_OUT) seen.set(ordinal)
  addChecksums(segment, targets, sums)
}

async function compareRecords(
  db: Queryable,
  dataset: ReadDataset,
  { numbers, sums, seen }: Indexed,
  progress: (done: number) => void,
): Promise<Omit<SegmentDifferences, 'damaged'>> {
  const different: RecordsFound = { count: 0, first: null }
  const missing: RecordsFound = { count: 0, first: null }
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

function addFound(found: RecordsFound, recordNo: number): void {
  found.first ??= recordNo
  found.count++
}
