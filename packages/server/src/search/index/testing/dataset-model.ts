/** A simple in-memory model of a stored dataset, and an index that follows it. */
import type { Id } from '@postil/domain/schema'
import type { CountQuery } from '@postil/domain/search/counts'
import type { SearchDocument } from '@postil/domain/search/document'
import type { SearchQuery } from '@postil/domain/search/query'
import { toMergeSources } from '../../embedded/merge-sources.ts'
import type { TextDocument } from '../../engine.ts'
import { buildSegment } from '../../segments/build.ts'
import { mergeSegments } from '../../segments/merge.ts'
import { openSegment } from '../../segments/segment.ts'
import { DatasetIndex } from '../dataset-index.ts'
import { loadColumn, toBlocks } from './column-blocks.ts'

export const TEXT_FIELDS = ['prompt', 'reply']

export interface RecordWrite {
  recordNo: number
  document: SearchDocument
  /** True if a segment is stored for the record, because it is new or its text changed. */
  hasText: boolean
}

export class DatasetModel {
  index = new DatasetIndex(TEXT_FIELDS)
  readonly #documents = new Map<number, SearchDocument>()
  readonly #deleted = new Set<number>()
  readonly #segments = new Map<number, Uint8Array>()
  #changeNo = 0

  /** Documents in the order of their record numbers. */
  documents(): Map<number, SearchDocument> {
    return new Map([...this.#documents].sort(([left], [right]) => left - right))
  }

  textDocuments(): TextDocument[] {
    return Array.from(this.documents(), ([recordNo, document]) => toTextDocument(recordNo, document))
  }

  segmentNos(): number[] {
    return [...this.#segments.keys()].sort((left, right) => left - right)
  }

  isKnown(recordNo: number): boolean {
    return this.#documents.has(recordNo) || this.#deleted.has(recordNo)
  }

  find(recordNo: number): SearchDocument | undefined {
    return this.#documents.get(recordNo)
  }

  /** Runs one transaction and applies it to the index. Its segment is added immediately, or when a query needs it. */
  write(written: readonly RecordWrite[], { textsFirst, addsTexts }: { textsFirst: boolean; addsTexts: boolean }): void {
    this.#changeNo++
    for (const { recordNo, document } of written) this.#documents.set(recordNo, document)
    const texts = written.filter(({ hasText }) => hasText).map(({ recordNo, document }) => toTextDocument(recordNo, document))
    if (texts.length > 0) this.#segments.set(this.#changeNo, buildSegment(texts))
    if (!textsFirst) this.index.put(written)
    if (addsTexts && texts.length > 0) {
      this.expectSegments()
      this.index.addSegment(this.#changeNo, this.#bytesOf(this.#changeNo))
    }
    if (textsFirst) this.index.put(written)
  }

  /** Passes the numbers of the stored segments to the index, as the engine does before a text search. */
  expectSegments(): void {
    this.index.expectSegments(this.segmentNos())
  }

  delete(recordNo: number): void {
    this.#documents.delete(recordNo)
    this.#deleted.add(recordNo)
    this.index.put([{ recordNo, document: null }])
  }

  /** Applies earlier writes again. */
  repeat(recordNos: readonly number[]): void {
    this.index.put(recordNos.map(recordNo => ({ recordNo, document: this.#documents.get(recordNo) ?? null })))
    this.expectSegments()
    for (const segmentNo of this.segmentNos()) this.index.addSegment(segmentNo, this.#bytesOf(segmentNo))
  }

  /** Merges adjacent stored segments without notifying the index. `meanwhile` runs during the merge. */
  merge(segmentNos: readonly number[], meanwhile: () => void): void {
    const segments = segmentNos.map(segmentNo => openSegment(this.#bytesOf(segmentNo)))
    const steps = mergeSegments(toMergeSources(segments, new Set(this.#documents.keys())))
    let step = steps.next()
    meanwhile()
    while (!step.done) step = steps.next()
    for (const segmentNo of segmentNos) this.#segments.delete(segmentNo)
    if (openSegment(step.value).documents > 0) this.#segments.set(Math.max(...segmentNos), step.value)
  }

  /** Starts with an empty index, like a new process. */
  reopen(): void {
    this.index = new DatasetIndex(TEXT_FIELDS)
  }

  /** Loads the parts that the query needs. */
  load(query: SearchQuery | CountQuery): void {
    this.expectSegments()
    const { columns, segments } = this.index.missing(query)
    for (const key of columns) loadColumn(this.index, key, toBlocks(key, this.documents()))
    for (const segmentNo of segments) this.index.addSegment(segmentNo, this.#bytesOf(segmentNo))
  }

  #bytesOf(segmentNo: number): Uint8Array {
    return this.#segments.get(segmentNo) as Uint8Array
  }

  idsOf(recordNos: readonly number[]): (Id | undefined)[] {
    return recordNos.map(recordNo => this.#documents.get(recordNo)?.id)
  }
}

function toTextDocument(recordNo: number, { text }: SearchDocument): TextDocument {
  return { recordNo, pieces: TEXT_FIELDS.map(field => text.get(field) ?? null) }
}
