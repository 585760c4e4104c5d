import type { Json, TSchema } from '../schema.ts'

/** A piece of text that phrases do not leave: a field's text, one chat message, one value inside a custom object. */
export type TextPiece = string

/** What a field type must answer. One folder per type; `registry.ts` lists them. */
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
  /** How many positions a span may cover: code points of a text, messages of a chat; null when spans make no sense. */
  spanLength(value: Json): number | null
  /** Whether text search looks at such fields at all. */
  searchable: boolean
  /** The words of the value that text search finds, piece by piece; empty for what is never searched. */
  toText(value: Json): TextPiece[]
  /** Where found words are marked: in the text, in each message of a chat, or (null) nowhere. */
  toMarked(value: Json): string | string[] | null
}
