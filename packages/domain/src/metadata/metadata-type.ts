import type { Json, TSchema } from '../schema.ts'

/** What a metadata property type must answer. One file per type; `registry.ts` lists them. */
export interface MetadataType<Settings extends { type: string } = { type: string }> {
  name: Settings['type']
  settingsCreate: TSchema
  /** Settings as stored and answered; they never change. */
  settings: TSchema
  /** Throws `invalid`. Never called for null or absent values. */
  checkValue(value: Json, property: { name: string; settings: Settings }): void
  /** How values are filtered and sorted. */
  searchAs: 'keyword' | 'integer' | 'float'
  /** What filters and sorts compare: the texts or numbers inside a value. */
  toSearch(value: Json): (string | number)[]
}
