import type { RecordFields } from '../records.ts'
import type { ResponseStatus } from '../responses.ts'
import type { Json, TSchema } from '../schema.ts'

/**
 * How the value of an answer can be filtered and sorted: as text, as number, as texts that are in no order (so that only
 * equal ones are found, and nothing is sorted by them), or not at all.
 */
export type SearchAs = 'keyword' | 'integer' | 'unordered' | 'none'

/** Where a value is being given: what is demanded of a submitted response is more than of a draft or a suggestion. */
export interface ValueContext {
  /** The fields the record will have once this write is done. */
  fields: RecordFields
  /** `null` for suggestions. */
  status: ResponseStatus | null
}

/** Settings of the dataset that limit question settings. */
export interface QuestionLimits {
  labelOptionsMax: number
  spanOptionsMax: number
}

/** Settings of a POST or PATCH body, as far as limits look at them. */
export interface GivenSettings {
  type: string
  options?: readonly unknown[] | null
}

/** What a question finds in its dataset when it is added. */
export interface QuestionSurroundings {
  fields: readonly { name: string }[]
  questions: readonly { name: string; settings: { type: string } }[]
}

/** What a question type must answer. One folder per type; `registry.ts` lists them. */
export interface QuestionType<Settings extends { type: string } = { type: string }> {
  name: Settings['type']
  /** Settings in a POST body; `fillSettings` completes them. */
  settingsCreate: TSchema
  /** Settings in a PATCH body: only `type` and what may change. */
  settingsUpdate: TSchema
  /** Settings as stored and answered. */
  settings: TSchema
  /** Completes checked POST settings to stored settings. */
  fillSettings(settings: { type: Settings['type'] }): Settings
  /** Limits from the server's settings, for POST and PATCH settings alike. Throws `ShapeError`. */
  checkSettings(settings: GivenSettings, limits: QuestionLimits): void
  /** What the settings name must exist in the dataset, and be free. Throws `invalid`. */
  checkReferences(settings: Settings, dataset: QuestionSurroundings): void
  /** Stored settings with a PATCH applied; throws `invalid` when the patch asks for what may not change. */
  patchSettings(settings: Settings, patch: { type: string; [key: string]: unknown }): Settings
  /** Throws `invalid`, naming the offending and the allowed values; its path begins at the value. */
  checkValue(value: Json, question: { name: string; settings: Settings }, context: ValueContext): void
  /** True when values are lists, so that a suggestion's score must be a list of equal length. */
  listValued: boolean
  searchAs: SearchAs
  /**
   * What filters and sorts compare: the texts or numbers inside a value. A value with none counts as no answer; where
   * `searchAs` is none, that is all the list is looked at for.
   */
  toSearch(value: Json): (string | number)[]
}
