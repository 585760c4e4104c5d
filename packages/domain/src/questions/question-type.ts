import type { RecordFields } from '../records.ts'
import type { ResponseStatus } from '../responses.ts'
import type { Json, TSchema } from '../schema.ts'

/** How the value of an answer can be filtered and sorted: as text, as number, or not at all. */
export type SearchAs = 'keyword' | 'integer' | 'none'

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

/** What a question type must answer. One folder per type; `registry.ts` lists them. */
export interface QuestionType<Settings extends { type: string } = { type: string }> {
  name: Settings['type']
  /** Settings in a POST body. May hold defaults; `fillSettings` completes what a schema cannot. */
  settingsCreate: TSchema
  /** Settings in a PATCH body: only `type` and what may change. */
  settingsUpdate: TSchema
  /** Settings as stored and answered. */
  settings: TSchema
  /** Completes checked POST settings to stored settings. */
  fillSettings(settings: Settings): Settings
  /** Rules that a schema cannot say, e.g. limits from the server's settings. Throws `invalid`. */
  checkSettings(settings: Settings, limits: QuestionLimits): void
  /** Stored settings with a PATCH applied; throws `invalid` when the patch asks for what may not change. */
  patchSettings(settings: Settings, patch: { type: string; [key: string]: unknown }): Settings
  /** Throws `invalid`, naming the offending and the allowed values. */
  checkValue(value: Json, question: { name: string; settings: Settings }, context: ValueContext): void
  /** True when values are lists, so that a suggestion's score must be a list of equal length. */
  listValued: boolean
  searchAs: SearchAs
  /** What filters and sorts compare: the texts or numbers inside a value. Empty when `searchAs` is none. */
  toSearch(value: Json): (string | number)[]
}
