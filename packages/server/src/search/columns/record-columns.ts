import type { SearchDocument } from '@postil/domain/search/document'
import { Bitmap } from '../bitmap.ts'
import { type Insertion, toMoves } from '../insertion.ts'
import { ByteColumn } from './byte-column.ts'
import { type ColumnKey, nameOf, RECORD_ID } from './column-key.ts'
import { IdColumn } from './id-column.ts'
import { KeywordColumn } from './keyword-column.ts'
import { NumberColumn } from './number-column.ts'
import { Orders } from './orders.ts'
import { Responses } from './responses.ts'
import { UserRows } from './user-rows.ts'
import { clearDocument, writeDocument } from './write-document.ts'

export type Column = KeywordColumn | NumberColumn | IdColumn | ByteColumn | Bitmap | Responses | UserRows

export interface LoadedColumn {
  key: ColumnKey
  column: Column
  /** Logical time of the last query that used the column. */
  used: number
}

/**
 * The columns of one dataset that are loaded. A column is added empty, filled from the tables by its owner, and then updated by
 * `put` and `remove`. The caller assigns ordinals in the order of record numbers and never reuses them.
 */
export class RecordColumns {
  /** Ordinals of existing records. */
  readonly live = new Bitmap()
  readonly orders = new Orders()
  /** Number of queries so far, used as a logical clock to find the least recently used column. */
  uses = 0
  readonly #loaded = new Map<string, LoadedColumn>()

  get bytes(): number {
    return this.sizes().reduce((sum, { bytes }) => sum + bytes, this.live.bytes + this.orders.bytes)
  }

  /** Bytes used by each column, for the memory budget. */
  sizes(): { key: ColumnKey; bytes: number }[] {
    return this.loadedColumns().map(({ key, column }) => ({ key, bytes: column.bytes }))
  }

  loadedColumns(): LoadedColumn[] {
    return [...this.#loaded.values()]
  }

  /** Marks columns as used by a query. Columns that are not loaded yet are marked when they are added. */
  use(keys: readonly ColumnKey[]): void {
    this.uses++
    for (const key of keys) {
      const loaded = this.#loaded.get(nameOf(key))
      if (loaded !== undefined) loaded.used = this.uses
    }
  }

  has(key: ColumnKey): boolean {
    return this.#loaded.has(nameOf(key))
  }

  /** Adds an empty column and returns it. The caller must fill it before any other operation. */
  add(key: ColumnKey): Column {
    if (key.kind === 'response') this.responses()
    const column = createColumn(key)
    this.#loaded.set(nameOf(key), { key, column, used: this.uses })
    return column
  }

  /**
   * Unloads a column and returns the keys of all unloaded columns. Answers are indexed by the slots of responses, so they are
   * unloaded with these.
   */
  drop(key: ColumnKey): ColumnKey[] {
    const isGone = (other: ColumnKey) => nameOf(other) === nameOf(key) || (key.kind === 'responses' && other.kind === 'response')
    const gone = this.loadedColumns().flatMap(loaded => (isGone(loaded.key) ? [loaded.key] : []))
    for (const name of gone.map(nameOf)) {
      this.#loaded.delete(name)
      this.orders.drop(name)
    }
    return gone
  }

  /** Writes a record to every loaded column and replaces the previous values. */
  put(ordinal: number, document: SearchDocument): void {
    this.live.set(ordinal)
    this.orders.change(ordinal)
    const slots = this.#findResponses()?.put(ordinal, document.responses) ?? []
    for (const loaded of this.#loaded.values()) writeDocument(loaded, ordinal, document, slots)
  }

  remove(ordinal: number): void {
    this.live.clear(ordinal)
    this.orders.change(ordinal)
    const slots = this.#findResponses()?.put(ordinal, []) ?? []
    for (const loaded of this.#loaded.values()) clearDocument(loaded, ordinal, slots)
  }

  /** Makes room for new ordinals between existing ones. */
  insert(insertion: Insertion): void {
    this.orders.insert(insertion)
    for (const move of toMoves(insertion)) {
      this.live.moveUp(move)
      // Answers are indexed by slot, so they do not move.
      for (const { key, column } of this.#loaded.values()) if (key.kind !== 'response') column.moveUp(move)
    }
  }

  column(key: ColumnKey): Column {
    const loaded = this.#loaded.get(nameOf(key))
    if (loaded === undefined) throw new Error(`The column \`${nameOf(key)}\` is not loaded`)
    return loaded.column
  }

  ids(): IdColumn {
    return this.#typed(RECORD_ID, IdColumn)
  }

  shuffle(): ByteColumn {
    return this.#typed({ kind: 'record', property: 'shuffle' }, ByteColumn)
  }

  responses(): Responses {
    return this.#typed({ kind: 'responses' }, Responses)
  }

  flags(): UserRows {
    return this.#typed({ kind: 'flags' }, UserRows)
  }

  #typed<C extends Column>(key: ColumnKey, type: new () => C): C {
    const column = this.column(key)
    if (column instanceof type) return column
    throw new Error(`The column \`${nameOf(key)}\` is of another type`)
  }

  #findResponses(): Responses | null {
    return this.has({ kind: 'responses' }) ? this.responses() : null
  }
}

function createColumn(key: ColumnKey): Column {
  if (key.kind === 'responses') return new Responses()
  if (key.kind === 'flags') return new UserRows()
  if (key.kind === 'record') return createRecordColumn(key.property)
  if (!('as' in key)) return new Bitmap()
  return key.as === 'number' ? new NumberColumn() : new KeywordColumn()
}

function createRecordColumn(property: Extract<ColumnKey, { kind: 'record' }>['property']): Column {
  if (property === 'id') return new IdColumn()
  if (property === 'shuffle') return new ByteColumn()
  return property === 'inserted_at' || property === 'updated_at' ? new NumberColumn() : new KeywordColumn()
}
