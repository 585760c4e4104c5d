import type { CountQuery, Counts } from '@postil/domain/search/counts'
import type { SearchDocument } from '@postil/domain/search/document'
import type { SearchQuery } from '@postil/domain/search/query'
import type { Bitmap } from '../bitmap.ts'
import type { ColumnBlock } from '../columns/column-block.ts'
import { type ColumnKey, countKeys, nameOf, RECORD_ID, searchKeys } from '../columns/column-key.ts'
import { countColumns } from '../columns/count.ts'
import { matchAll } from '../columns/filter.ts'
import { RecordColumns } from '../columns/record-columns.ts'
import { type ColumnHits, listPage } from '../columns/search.ts'
import type { SearchHits } from '../engine.ts'
import { ensureLength } from '../grow.ts'
import { type PreparedTextSearch, prepareTextSearch } from '../segments/evaluate.ts'
import { openSegment } from '../segments/segment.ts'
import { topMatches } from '../segments/top.ts'
import { fillColumn } from './fill-column.ts'
import { RecordNumbers } from './record-numbers.ts'
import { Texts } from './texts.ts'

/** The document of a record; null if the record was deleted. */
export interface IndexEntry {
  recordNo: number
  document: SearchDocument | null
}

/** Columns, in the order in which they must be loaded, and numbers of text segments. */
export interface IndexParts {
  columns: ColumnKey[]
  segments: number[]
}

type TextPart = NonNullable<SearchQuery['text']>

/**
 * In-memory search index of one dataset: columns and text segments. It starts empty. Before a search or a count, the caller loads
 * the parts that `missing` returns; `put` and `addSegment` then keep them up to date. Everything must be read at the change
 * number that the index has reached.
 */
export class DatasetIndex {
  readonly #textFields: readonly string[]
  readonly #numbers = new RecordNumbers()
  readonly #columns = new RecordColumns()
  readonly #texts = new Texts()
  /** Names of columns that are only partly loaded. They count as missing until their load completes, even if it fails. */
  readonly #incomplete = new Set<string>()
  /** Scores of the last search by relevance. The array is large, so it is reused. */
  #scores = new Float64Array(0)
  /** Logical time of the last use of the texts, by the clock of the columns, which counts uses. */
  #textsUsed = 0

  /** `textFields` are the names of the fields whose text is indexed, in the order of the segments. */
  constructor(textFields: readonly string[]) {
    this.#textFields = textFields
  }

  get bytes(): number {
    return this.#numbers.bytes + this.#columns.bytes + this.#texts.bytes + this.#scores.byteLength
  }

  /**
   * Returns the parts that must be loaded before this query. Marks all parts of the query as used, so that they are not evicted
   * before the next query.
   */
  missing(query: SearchQuery | CountQuery): IndexParts {
    const keys = keysOf(query)
    this.#columns.use(keys)
    if (query.text !== null) this.#textsUsed = this.#columns.uses
    return {
      columns: keys.filter(key => !this.#columns.has(key) || this.#incomplete.has(nameOf(key))),
      segments: query.text === null ? [] : this.#texts.unloaded(),
    }
  }

  /**
   * Starts to load a column, which counts as missing until `endColumn`. Ids must be loaded first, because they determine which
   * records exist. Blocks are added one by one, so that they need not be in memory together.
   */
  beginColumn(key: ColumnKey): void {
    this.#columns.drop(key)
    this.#columns.add(key)
    this.#incomplete.add(nameOf(key))
  }

  endColumn(key: ColumnKey): void {
    this.#incomplete.delete(nameOf(key))
  }

  fillColumn(key: ColumnKey, block: ColumnBlock): void {
    if (nameOf(key) === nameOf(RECORD_ID)) this.#addRecords(block.recordNos)
    fillColumn(this.#columns, key, this.#numbers.ordinalsOf(block.recordNos), block)
  }

  #addRecords(recordNos: ArrayLike<number>): void {
    this.#addNumbers(recordNos)
    const ordinals = this.#numbers.ordinalsOf(recordNos)
    this.#columns.live.fill(ordinals)
    for (const ordinal of ordinals) this.#texts.restore(ordinal)
  }

  /** Keys of the columns in memory. */
  loaded(): ColumnKey[] {
    return this.#columns.loadedColumns().map(({ key }) => key)
  }

  /** Unloads a column whose values changed by other means than `put`, for example because a question was deleted. */
  drop(key: ColumnKey): void {
    this.#columns.drop(key)
  }

  /** Writes or deletes records. Entries may come in any order and repeatedly. */
  put(entries: readonly IndexEntry[]): void {
    const written = entries.filter(({ document }) => document !== null)
    this.#addNumbers(written.map(({ recordNo }) => recordNo))
    for (const { recordNo, document } of entries) {
      const ordinal = this.#numbers.find(recordNo)
      if (ordinal < 0) continue
      if (document === null) {
        this.#columns.remove(ordinal)
        this.#texts.markDeleted(ordinal)
      } else {
        this.#columns.put(ordinal, document)
        this.#texts.restore(ordinal)
      }
    }
  }

  #addNumbers(recordNos: ArrayLike<number>): void {
    const insertion = this.#numbers.add(recordNos)
    if (insertion === null) return
    this.#columns.insert(insertion)
    this.#texts.insert(insertion)
  }

  /**
   * Sets the numbers of the stored segments. Must be called before segments are loaded from another snapshot; `missing` then
   * returns those that a query needs. Storage merges segments, so a loaded segment can become missing again because it now
   * includes the texts of others.
   */
  expectSegments(segmentNos: readonly number[]): void {
    this.#texts.expect(segmentNos)
  }

  /**
   * Adds the texts of some records. They replace those in segments with lower numbers, and the segment replaces the segments from
   * which it was merged. Adding a segment twice has no effect. A segment that was not passed to `expectSegments` must be the next
   * one that was stored.
   */
  addSegment(segmentNo: number, bytes: Uint8Array): void {
    if (!this.#texts.lacks(segmentNo)) return
    const segment = openSegment(bytes)
    const recordNos = segment.recordNos()
    // Records that were deleted or are not known yet also get ordinals, so that their texts are available if they are added
    // later.
    this.#addNumbers(recordNos)
    this.#texts.add(segmentNo, segment, this.#numbers.ordinalsOf(recordNos), this.#columns.live)
  }

  /**
   * Returns a page of records. The parts that `missing` returns must be loaded. Does not support similarity; such searches use
   * `matches` as candidates.
   */
  search(query: SearchQuery): SearchHits {
    const text = this.#openText(query.text)
    const matches = this.#findMatches(query, text)
    const total = matches.count()
    const { ordinals, scores } =
      text === null || query.sort.length > 0
        ? listPage(this.#columns, query, matches, total)
        : this.#listByRelevance(text, query, matches, total)
    const hits = Array.from(ordinals, (ordinal, i) => ({ recordNo: this.#numbers.at(ordinal), score: scores?.[i] ?? null }))
    return { hits, total }
  }

  count(query: CountQuery): Counts {
    return countColumns(this.#columns, query, this.#openText(query.text)?.find() ?? null)
  }

  /**
   * Returns the ordinals of all records that match the text and the filters. They are valid until the next `put` or `addSegment`.
   */
  matches(query: SearchQuery): Bitmap {
    return this.#findMatches(query, this.#openText(query.text))
  }

  /** Returns the record numbers of ordinals, ascending. */
  recordNosOf(ordinals: Bitmap): number[] {
    return Array.from(ordinals.ordinals(), ordinal => this.#numbers.at(ordinal))
  }

  /** Returns those of the records whose ordinals are in the bitmap. */
  keepRecords(recordNos: readonly number[], ordinals: Bitmap): Set<number> {
    return new Set(recordNos.filter(recordNo => ordinals.has(this.#numbers.find(recordNo))))
  }

  /**
   * Evicts the least recently used parts until the index uses at most `bytesMax` bytes, and returns them. Parts of the last query
   * are not evicted.
   */
  evict(bytesMax: number): IndexParts {
    const evicted: IndexParts = { columns: [], segments: [] }
    const segments = this.#texts.loaded().map(segmentNo => ({
      used: this.#textsUsed,
      drop: () => {
        this.#unloadSegment(segmentNo)
        evicted.segments.push(segmentNo)
      },
    }))
    const columns = this.#columns.loadedColumns().map(({ key, used }) => ({
      used: nameOf(key) === nameOf(RECORD_ID) ? Number.POSITIVE_INFINITY : used,
      drop: () => void evicted.columns.push(...this.#columns.drop(key)),
    }))
    const orders = this.#columns.orders.list().map(({ name, used }) => ({ used, drop: () => this.#columns.orders.forget(name) }))
    const droppable = [...orders, ...segments, ...columns].filter(({ used }) => used < this.#columns.uses)
    droppable.sort((left, right) => left.used - right.used)
    for (const { drop } of droppable) {
      if (this.bytes <= bytesMax) break
      drop()
    }
    return evicted
  }

  #unloadSegment(segmentNo: number): void {
    this.#scores = new Float64Array(0)
    this.#texts.unload(segmentNo)
  }

  #openText(text: TextPart | null): PreparedTextSearch | null {
    if (text === null) return null
    const index = { segments: this.#texts.segments(), records: this.#columns.live }
    return prepareTextSearch(index, { tree: text.tree, field: text.field === null ? null : this.#textFields.indexOf(text.field) })
  }

  #listByRelevance(text: PreparedTextSearch, { offset, limit }: SearchQuery, matches: Bitmap, total: number): ColumnHits {
    this.#scores = ensureLength(this.#scores, this.#columns.live.words.length * 32)
    const scores = this.#scores
    text.score(matches, scores)
    const ordinals = topMatches(matches, total, scores, offset + limit).slice(offset)
    return { ordinals, scores: Array.from(ordinals, ordinal => scores[ordinal] as number) }
  }

  #findMatches({ filters, userId }: SearchQuery, text: PreparedTextSearch | null): Bitmap {
    return matchAll(text?.find() ?? this.#columns.live, filters, { columns: this.#columns, userId })
  }
}

/** Returns the columns of a query. Every query needs the ids, because they determine which records exist; they come first. */
function keysOf(query: SearchQuery | CountQuery): ColumnKey[] {
  const keys = 'targets' in query ? countKeys(query) : searchKeys(query)
  return [RECORD_ID, ...keys.filter(key => nameOf(key) !== nameOf(RECORD_ID))]
}
