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

export interface Loaded {
  key: ColumnKey
  column: Column
  /** When a query needed it last. */
  used: number
}

/**
 * The columns of one dataset that are in memory. A column is added empty, filled from the tables by its owner, and from then on follows
 * `put` and `remove`. Ordinals are given by the caller, in the order of record numbers, and are not used again.
 */
export class RecordColumns {
  /** The records that exist. */
  readonly live = new Bitmap()
  readonly orders = new Orders()
  /** How often columns were used: a clock for what was not used for longest. */
  uses = 0
  readonly #loaded = new Map<string, Loaded>()

  get bytes(): number {
    return this.sizes().reduce((sum, { bytes }) => sum + bytes, this.live.bytes + this.orders.bytes)
  }

  /** Bytes of each column, for the memory budget. */
  sizes(): { key: ColumnKey; bytes: number }[] {
    return this.held().map(({ key, column }) => ({ key, bytes: column.bytes }))
  }

  held(): Loaded[] {
    return [...this.#loaded.values()]
  }

  /** Says that a query needs these columns. Those that are not loaded yet count as used when they are. */
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

  /** Adds an empty column and returns it, to be filled before anything else happens. */
  add(key: ColumnKey): Column {
    if (key.kind === 'response') this.responses()
    const column = createColumn(key)
    this.#loaded.set(nameOf(key), { key, column, used: this.uses })
    return column
  }

  /** Forgets a column, and returns what went. Answers are kept by the slots of responses, so they go together. */
  drop(key: ColumnKey): ColumnKey[] {
    const isGone = (other: ColumnKey) => nameOf(other) === nameOf(key) || (key.kind === 'responses' && other.kind === 'response')
    const gone = this.held().flatMap(loaded => (isGone(loaded.key) ? [loaded.key] : []))
    for (const name of gone.map(nameOf)) {
      this.#loaded.delete(name)
      this.orders.drop(name)
    }
    return gone
  }

  /** Writes a record to every column, in place of what was there. */
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

  /** Makes room for new ordinals among the others. */
  insert(insertion: Insertion): void {
    this.orders.insert(insertion)
    for (const move of toMoves(insertion)) {
      this.live.moveUp(move)
      // Answers are kept by slot.
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
