import type { Column } from '../columns.ts'
import type { Resolution } from '../exports/resolve.ts'
import type { Span } from '../exports/tokens.ts'
import type { RecordFields } from '../records.ts'
import type { ResponseStatus } from '../responses.ts'
import type { Json, TSchema } from '../schema.ts'
import type { LabelRules } from './labels.ts'

/** How answer values are filtered and sorted: as text, as numbers, as unordered texts (equality only, no sort), or not at all. */
export type SearchAs = 'keyword' | 'integer' | 'unordered' | 'none'

/** Context of a value. Submitted responses must meet more requirements than drafts and suggestions. */
export interface ValueContext {
  /** The record's fields after this write. */
  fields: RecordFields
  /** Null for suggestions. */
  status: ResponseStatus | null
}

/** Server limits for question settings. */
export interface QuestionLimits {
  labelOptionsMax: number
  spanOptionsMax: number
}

/** The part of POST or PATCH settings that the limits apply to. */
export interface GivenSettings {
  type: string
  options?: readonly unknown[] | null
}

/** The dataset's fields and questions at the time a question is added. */
export interface QuestionSurroundings {
  fields: readonly { name: string }[]
  questions: readonly { name: string; settings: { type: string } }[]
}

/** Interface of a question type. There is one folder per type; `registry.ts` lists them. */
export interface QuestionType<Settings extends { type: string } = { type: string }> {
  name: Settings['type']
  /** Settings in a POST body; `fillSettings` completes them. */
  settingsCreate: TSchema
  /** Settings in a PATCH body: only `type` and the properties that may change. */
  settingsUpdate: TSchema
  /** Settings as stored and returned. */
  settings: TSchema
  /** Completes validated POST settings to stored settings. */
  fillSettings(settings: { type: Settings['type'] }): Settings
  /** Checks the server's limits for POST and PATCH settings. Throws `ShapeError`. */
  checkSettings(settings: GivenSettings, limits: QuestionLimits): void
  /** Throws `invalid` if the settings refer to something that does not exist in the dataset or is already in use. */
  checkReferences(settings: Settings, dataset: QuestionSurroundings): void
  /** Applies a PATCH to stored settings. Throws `invalid` if it changes something that may not change. */
  patchSettings(settings: Settings, patch: { type: string; [key: string]: unknown }): Settings
  /** Throws `invalid` with the invalid and the allowed values. The error's path is relative to the value. */
  checkValue(value: Json, question: { name: string; settings: Settings }, context: ValueContext): void
  /** True if values are lists. The score of a suggestion must then be a list of the same length. */
  listValued: boolean
  searchAs: SearchAs
  /** Column in imports and exports. */
  column: Column
  /** How several answers are resolved to one, for exports. */
  resolution: Resolution
  /** For types whose answers mark parts of a text: the field, and the spans of a value. */
  marks?: { field(settings: Settings): string; spans(value: Json): Span[] }
  /** Set if options are labels that can be added and removed while there are answers. */
  labels?: LabelRules
  /**
   * Returns the texts or numbers inside a value that filters and sorts compare. An empty list means no answer; if `searchAs` is
   * `none`, it is only used for that.
   */
  toSearch(value: Json): (string | number)[]
}
