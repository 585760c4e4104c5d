/** The texts of a small dataset in segments, changed and merged as in an engine. Ordinals are record numbers minus 1. */
import { Bitmap } from '../bitmap.ts'
import type { TextDocument } from '../engine.ts'
import { buildSegment } from './build.ts'
import { prepareTextSearch, type TextIndex } from './evaluate.ts'
import { deleteDocument, type LiveSegment, toLiveSegment } from './live.ts'
import { mergeSegments } from './merge.ts'
import type { PlainQuery } from './plain.contract.ts'
import { openSegment } from './segment.ts'

export class TestDataset {
  readonly documents = new Map<number, TextDocument>()
  private segments: LiveSegment[] = []

  /** Writes or replaces documents by adding a new segment. */
  put(documents: readonly TextDocument[]): void {
    for (const { recordNo } of documents) this.remove(recordNo)
    for (const document of documents) this.documents.set(document.recordNo, document)
    this.segments.push(open(buildSegment(documents)))
  }

  remove(recordNo: number): void {
    if (!this.documents.delete(recordNo)) return
    for (const live of this.segments) {
      live.segment.recordNos().forEach((other, i) => {
        if (other === recordNo) deleteDocument(live, i)
      })
    }
  }

  /** Merges the segments at the indexes `from` to `to - 1`. */
  merge(from: number, to: number): void {
    const merged = open(runMerge(this.segments.slice(from, to)))
    this.segments.splice(from, to - from, merged)
  }

  segmentCount(): number {
    return this.segments.length
  }

  index(): TextIndex {
    const records = new Bitmap()
    records.fill(Array.from(this.documents.keys(), recordNo => recordNo - 1))
    return { segments: this.segments, records }
  }

  /** Returns the scores of the matches by record number. */
  search(query: PlainQuery): Map<number, number> {
    const search = prepareTextSearch(this.index(), query)
    const matches = search.find()
    const scores = new Float64Array(matches.words.length * 32)
    search.score(matches, scores)
    return new Map(Array.from(matches.ordinals(), ordinal => [ordinal + 1, scores[ordinal] ?? Number.NaN]))
  }
}

function open(bytes: Uint8Array): LiveSegment {
  const segment = openSegment(bytes)
  return toLiveSegment(
    segment,
    Uint32Array.from(segment.recordNos(), recordNo => recordNo - 1),
  )
}

export function runMerge(sources: Parameters<typeof mergeSegments>[0]): Uint8Array<ArrayBuffer> {
  const steps = mergeSegments(sources)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
