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
import { grown } from '../grow.ts'
import { type OpenTextSearch, openTextSearch } from '../segments/evaluate.ts'
import { openSegment } from '../segments/segment.ts'
import { topMatches } from '../segments/top.ts'
import { fillColumn } from './fill-column.ts'
import { RecordNumbers } from './record-numbers.ts'
import { Texts } from './texts.ts'

/** The state of a record; null if it was deleted. */
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
 * The search index of one dataset in memory: columns and text segments. It starts empty. Before a search or a count, the caller loads what
 * is `missing`; from then on the parts follow `put` and `addSegment`. Everything must be read at the change number that the index has
 * reached.
 */
export class DatasetIndex {
  readonly #textFields: readonly string[]
  readonly #numbers = new RecordNumbers()
  readonly #columns = new RecordColumns()
  readonly #texts = new Texts()
  /** Names of columns that do not have all their values: whatever stops a load, they stay missing. */
  readonly #incomplete = new Set<string>()
  /** Scores of the last search by relevance: large, so that the same memory is used each time. */
  #scores = new Float64Array(0)
  /** When the texts were used last, by the clock of the columns, which counts uses. */
  #textsUsed = 0

  /** Names of the fields whose text is indexed, in the order of the segments. */
  constructor(textFields: readonly string[]) {
    this.#textFields = textFields
  }

  get bytes(): number {
    return this.#numbers.bytes + this.#columns.bytes + this.#texts.bytes + this.#scores.byteLength
  }

  /** What must be loaded before this query. Its parts count as used, and are not evicted before the next query. */
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
   * Begins to load a column, which is missing until `endColumn`. The ids, which come first, say which records exist. Blocks are filled in one
   * by one, so that they need not be in memory together.
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
    for (const ordinal of ordinals) this.#texts.revive(ordinal)
  }

  /** The columns that are in memory. */
  loaded(): ColumnKey[] {
    return this.#columns.held().map(({ key }) => key)
  }

  /** Forgets a column whose values changed otherwise than by `put`, as when a question is deleted. */
  drop(key: ColumnKey): void {
    this.#columns.drop(key)
  }

  /** Writes or deletes records. Entries may come in any order and more than once. */
  put(entries: readonly IndexEntry[]): void {
    const written = entries.filter(({ document }) => document !== null)
    this.#addNumbers(written.map(({ recordNo }) => recordNo))
    for (const { recordNo, document } of entries) {
      const ordinal = this.#numbers.find(recordNo)
      if (ordinal < 0) continue
      if (document === null) {
        this.#columns.remove(ordinal)
        this.#texts.bury(ordinal)
      } else {
        this.#columns.put(ordinal, document)
        this.#texts.revive(ordinal)
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
   * Says which segments are stored; it must be called before segments are loaded from another snapshot. What `missing` names after it is what a
   * query needs. Segments are merged where they are stored: one may be named again, because it now holds the texts of others too.
   */
  expectSegments(segmentNos: readonly number[]): void {
    this.#texts.expect(segmentNos)
  }

  /**
   * Adds the texts of some records, which replace those in segments with lower numbers, and takes the place of the segments that it was merged
   * from. Adding a segment twice changes nothing. One that `expectSegments` did not name must be the next one that was stored.
   */
  addSegment(segmentNo: number, bytes: Uint8Array): void {
    if (!this.#texts.lacks(segmentNo)) return
    const segment = openSegment(bytes)
    const recordNos = segment.recordNos()
    // Also records that do not exist, or not yet, get ordinals, so that their texts are known when they come.
    this.#addNumbers(recordNos)
    this.#texts.add(segmentNo, segment, this.#numbers.ordinalsOf(recordNos), this.#columns.live)
  }

  /** A page of records. What `missing` says must be loaded. Not for searches by similarity, which take `matches` as candidates. */
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

  /** All records that match the text and the filters, as ordinals: valid until the next `put` or `addSegment`. */
  matches(query: SearchQuery): Bitmap {
    return this.#findMatches(query, this.#openText(query.text))
  }

  /** The record numbers of ordinals, ascending. */
  recordNosOf(ordinals: Bitmap): number[] {
    return Array.from(ordinals.ordinals(), ordinal => this.#numbers.at(ordinal))
  }

  /** Those of the records that are among the ordinals. */
  keepRecords(recordNos: readonly number[], ordinals: Bitmap): Set<number> {
    return new Set(recordNos.filter(recordNo => ordinals.has(this.#numbers.find(recordNo))))
  }

  /** Drops what was not used for longest, until the index takes at most so many bytes, and says what. What the last query needs stays. */
  evict(bytesMax: number): IndexParts {
    const evicted: IndexParts = { columns: [], segments: [] }
    const segments = this.#texts.loaded().map(segmentNo => ({
      used: this.#textsUsed,
      drop: () => {
        this.#unloadSegment(segmentNo)
        evicted.segments.push(segmentNo)
      },
    }))
    const columns = this.#columns.held().map(({ key, used }) => ({
      used: nameOf(key) === nameOf(RECORD_ID) ? Number.POSITIVE_INFINITY : used,
      drop: () => void evicted.columns.push(...this.#columns.drop(key)),
    }))
    const orders = this.#columns.orders.held().map(({ name, used }) => ({ used, drop: () => this.#columns.orders.forget(name) }))
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

  #openText(text: TextPart | null): OpenTextSearch | null {
    if (text === null) return null
    const index = { segments: this.#texts.segments(), records: this.#columns.live }
    return openTextSearch(index, { tree: text.tree, field: text.field === null ? null : this.#textFields.indexOf(text.field) })
  }

  #listByRelevance(text: OpenTextSearch, { offset, limit }: SearchQuery, matches: Bitmap, total: number): ColumnHits {
    this.#scores = grown(this.#scores, this.#columns.live.words.length * 32)
    const scores = this.#scores
    text.score(matches, scores)
    const ordinals = topMatches(matches, total, scores, offset + limit).slice(offset)
    return { ordinals, scores: Array.from(ordinals, ordinal => scores[ordinal] as number) }
  }

  #findMatches({ filters, userId }: SearchQuery, text: OpenTextSearch | null): Bitmap {
    return matchAll(text?.find() ?? this.#columns.live, filters, { columns: this.#columns, userId })
  }
}

/** The ids come first: they say which records exist, so that every query needs them. */
function keysOf(query: SearchQuery | CountQuery): ColumnKey[] {
  const keys = 'targets' in query ? countKeys(query) : searchKeys(query)
  return [RECORD_ID, ...keys.filter(key => nameOf(key) !== nameOf(RECORD_ID))]
}
