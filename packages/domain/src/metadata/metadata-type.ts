import type { Column } from '../columns.ts'
import type { Json, TSchema } from '../schema.ts'

/** Interface of a metadata property type. There is one file per type; `registry.ts` lists them. */
export interface MetadataType<Settings extends { type: string } = { type: string }> {
  name: Settings['type']
  settingsCreate: TSchema
  /** Settings as stored and returned. They never change. */
  settings: TSchema
  /** Throws `invalid`. Never called for null or absent values. */
  checkValue(value: Json, property: { name: string; settings: Settings }): void
  /** Column in imports and exports. */
  column: Column
  /** How values are filtered and sorted. */
  searchAs: 'keyword' | 'integer' | 'float'
  /** Returns the texts or numbers inside a value that filters and sorts compare. */
  toSearch(value: Json): (string | number)[]
}
