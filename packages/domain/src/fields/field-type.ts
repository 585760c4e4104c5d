import type { Column } from '../columns.ts'
import type { Json, TSchema } from '../schema.ts'

/** A piece of text that phrases cannot cross: the text of a field, one chat message, or one value inside a custom object. */
export type TextPiece = string

/** Interface of a field type. There is one folder per type; `registry.ts` lists them. */
export interface FieldType<Settings extends { type: string } = { type: string }> {
  name: Settings['type']
  settingsCreate: TSchema
  /** Settings in a PATCH body: complete, of the same type. */
  settingsUpdate: TSchema
  settings: TSchema
  /** Throws `invalid`. Never called for null or absent values. */
  checkValue(value: Json, fieldName: string): void
  /** A checked value as it is stored. */
  toStored(value: Json): Json
  /** Number of positions that a span may cover: code points of a text, messages of a chat; null if spans are not supported. */
  spanLength(value: Json): number | null
  /** Column in imports and exports. */
  column: Column
  /** True if text search includes such fields. */
  searchable: boolean
  /** Returns the searchable text of the value, piece by piece; empty if it is never searched. */
  toText(value: Json): TextPiece[]
  /** Texts in which search hits are highlighted: one text, one per chat message, or null for none. */
  toMarked(value: Json): string | string[] | null
}
