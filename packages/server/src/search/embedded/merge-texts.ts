/** Merges some of a dataset's stored text segments. Only reads; `replaceSegments` stores the result. */
import type { Id } from '@postil/domain/schema'
import { type Database, marks, type Queryable } from '../../storage/database.ts'
import { DATASET_NO } from '../../storage/dataset-numbers.ts'
import { findSegmentBytes, listSegments, type Replacement } from '../../storage/text-segments.ts'
import { mergeSegments } from '../segments/merge.ts'
import { openSegment, type Segment } from '../segments/segment.ts'
import { findMerge } from './merge-rule.ts'
import { toMergeSources } from './merge-sources.ts'

const RECORDS_PER_QUERY = 1_000

/** Yields to other work of the thread. Called about every millisecond. */
export type Pause = () => Promise<void>

/** Merges the segments that `findMerge` selects, or returns null if there are none. */
export async function mergeTexts(db: Database, datasetId: Id, pause: Pause): Promise<Replacement | null> {
  const read = await db.snapshot(snapshot => readInputs(snapshot, datasetId))
  if (read === null) return null
  const { previousNo, segmentNos } = read
  const segments = read.bytes.map(openSegment)
  // Read outside the snapshot, so that it need not stay open. Record numbers are not reused, so a missing record was deleted.
  const existing = await findExisting(db, datasetId, segments, pause)
  if (existing.size === 0) return { previousNo, segmentNos, merged: null }
  const range = toRange(existing)
  const bytes = await run(mergeSegments(toMergeSources(segments, existing)), pause)
  return { previousNo, segmentNos, merged: { ...range, bytes } }
}

async function readInputs(db: Queryable, datasetId: Id) {
  const stored = await listSegments(db, datasetId)
  const inputs = findMerge(stored)
  const [first] = inputs ?? []
  if (inputs === null || first === undefined) return null
  const previousNo = stored[stored.indexOf(first) - 1]?.segment_no ?? null
  const segmentNos = inputs.map(({ segment_no }) => segment_no)
  const bytes: Uint8Array[] = []
  for (const segmentNo of segmentNos) bytes.push(await loadBytes(db, datasetId, segmentNo))
  return { previousNo, segmentNos, bytes }
}

async function loadBytes(db: Queryable, datasetId: Id, segmentNo: number): Promise<Uint8Array> {
  const bytes = await findSegmentBytes(db, datasetId, segmentNo)
  if (bytes === null) throw new Error(`Text segment ${segmentNo} of dataset ${datasetId} is listed, but not stored`)
  return bytes
}

/** Returns the numbers of those records of the segments that still exist. */
async function findExisting(db: Queryable, datasetId: Id, segments: readonly Segment[], pause: Pause): Promise<Set<number>> {
  const recordNos = toSorted(segments.map(segment => segment.recordNos()))
  const existing = new Set<number>()
  for (let start = 0; start < recordNos.length; start += RECORDS_PER_QUERY) {
    const block = [...recordNos.subarray(start, start + RECORDS_PER_QUERY)]
    const text = `select no from records where dataset_no = ${DATASET_NO} and no in (${marks(block)})`
    for (const recordNo of await db.sql.column<number>(text, [datasetId, ...block])) existing.add(recordNo)
    await pause()
  }
  return existing
}

/** Sorts the numbers, so that adjacent records are read together. */
function toSorted(lists: readonly Float64Array[]): Float64Array {
  const sorted = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    sorted.set(list, at)
    at += list.length
  }
  return sorted.sort()
}

function toRange(recordNos: ReadonlySet<number>) {
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (const recordNo of recordNos) {
    first = Math.min(first, recordNo)
    last = Math.max(last, recordNo)
  }
  return { first_record_no: first, last_record_no: last, record_count: recordNos.size }
}

async function run(steps: ReturnType<typeof mergeSegments>, pause: Pause): Promise<Uint8Array<ArrayBuffer>> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await pause()
  }
}
