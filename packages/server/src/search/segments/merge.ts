/**
 * Merges several segments into one and leaves out deleted documents.
 *
 * Iterates over the sorted terms of all segments and never reads texts. A merge shares its thread with searches, so it yields
 * after each short step, and the caller runs the next step when there is time.
 */
import type { Bitmap } from '../bitmap.ts'
import { compareTerms, type TermCursor } from './dictionary.ts'
import { FieldWriter } from './field-writer.ts'
import { assemble } from './format.ts'
import { newPostings, type Postings, readPostings, reserve, skipVarints } from './postings.ts'
import { RecordNoWriter } from './record-nos.ts'
import type { Segment } from './segment.ts'

export interface MergeSource {
  segment: Segment
  /** Local documents to leave out. Documents that are deleted after the first step remain in the result. */
  deleted: Bitmap | null
}

/** Number of postings per step, which takes about a millisecond. */
const STEP_WORK = 30_000
/** Cost of a term of one segment, in postings. */
const TERM_WORK = 32
const DELETED = 0xffffffff

/** A source during the merge. */
interface NumberedSource {
  segment: Segment
  /** By local document: its number in the merged segment, or `DELETED`. */
  targets: Uint32Array
  hasDeleted: boolean
}

/** Merges segments. Documents keep their order: those of the first segment come first. */
export function* mergeSegments(sources: readonly MergeSource[]): Generator<void, Uint8Array<ArrayBuffer>> {
  const { numbered, documents } = numberDocuments(sources)
  const fieldCounts = new Set(sources.filter(({ segment }) => segment.documents > 0).map(({ segment }) => segment.fields.length))
  if (fieldCounts.size > 1) throw new Error('Text segments with different numbers of fields cannot be merged')
  const [fieldCount = 0] = fieldCounts
  const recordNos = new RecordNoWriter()
  yield* copyValues(
    numbered,
    segment => segment.recordNos(),
    recordNo => recordNos.add(recordNo),
  )
  const fields: FieldWriter[] = []
  for (let i = 0; i < fieldCount; i++) fields.push(yield* mergeField(numbered, i))
  return yield* assemble(documents, recordNos.bytes, fields)
}

function numberDocuments(sources: readonly MergeSource[]): { numbered: NumberedSource[]; documents: number } {
  let documents = 0
  const numbered = sources.map(({ segment, deleted }) => {
    const before = documents
    const targets = new Uint32Array(segment.documents)
    for (let i = 0; i < targets.length; i++) targets[i] = deleted?.has(i) ? DELETED : documents++
    return { segment, targets, hasDeleted: documents - before < segment.documents }
  })
  return { numbered, documents }
}

/** Copies one value for each document that is not deleted. */
function* copyValues(
  sources: readonly NumberedSource[],
  valuesOf: (segment: Segment) => ArrayLike<number>,
  add: (value: number) => void,
): Generator<void> {
  for (const { segment, targets } of sources) {
    const values = valuesOf(segment)
    for (let start = 0; start < targets.length; start += STEP_WORK) {
      const end = Math.min(targets.length, start + STEP_WORK)
      for (let i = start; i < end; i++) if (targets[i] !== DELETED) add(values[i] as number)
      yield
    }
  }
}

interface OpenSource extends NumberedSource {
  cursor: TermCursor
}

function* mergeField(sources: readonly NumberedSource[], field: number): Generator<void, FieldWriter> {
  const writer = new FieldWriter()
  yield* copyValues(
    sources,
    segment => segment.fields[field]?.lengths() ?? [],
    length => writer.addLength(length),
  )
  let open = sources.flatMap((source): OpenSource[] => {
    const cursor = source.segment.fields[field]?.cursor()
    return cursor?.next() ? [{ ...source, cursor }] : []
  })
  const postings = newPostings(1024)
  let work = 0
  while (open.length > 0) {
    const same = listSmallest(open)
    for (const source of same) {
      reserve(postings, source.cursor.documents)
      for (const step of mergePostings(writer, source, postings)) {
        work += step
        if (work < STEP_WORK) continue
        work = 0
        yield
      }
    }
    const [first] = same as [OpenSource]
    writer.endTerm(first.cursor.units, 0, first.cursor.length)
    for (const source of same) if (!source.cursor.next()) open = open.filter(other => other !== source)
  }
  return writer
}

/** Returns the sources whose current term is the smallest of all. */
function listSmallest(open: readonly OpenSource[]): OpenSource[] {
  let smallest: OpenSource[] = []
  for (const source of open) {
    const [first] = smallest
    const difference = first === undefined ? -1 : compareTerms(source.cursor, first.cursor)
    if (difference < 0) smallest = [source]
    else if (difference === 0) smallest.push(source)
  }
  return smallest
}

/** Writes the current term of one source. Yields the amount of work of each step. */
function* mergePostings(
  writer: FieldWriter,
  { segment, targets, hasDeleted, cursor }: OpenSource,
  postings: Postings,
): Generator<number> {
  const { bytes } = segment
  const { documents, frequencies, count } = readPostings(bytes, cursor, postings)
  let positionsAt = cursor.positionsAt
  for (let start = 0; start < count; start += STEP_WORK) {
    const end = Math.min(count, start + STEP_WORK)
    for (let i = start; i < end; i++) {
      const target = targets[documents[i] as number] as number
      const frequency = frequencies[i] as number
      if (target !== DELETED) writer.addPosting(target, frequency)
      if (!hasDeleted) continue
      const positionsEnd = skipVarints(bytes, positionsAt, frequency)
      if (target !== DELETED) writer.positions.copy(bytes, positionsAt, positionsEnd)
      positionsAt = positionsEnd
    }
    yield end - start + TERM_WORK
  }
  if (!hasDeleted) writer.positions.copy(bytes, cursor.positionsAt, cursor.positionsEnd)
}
