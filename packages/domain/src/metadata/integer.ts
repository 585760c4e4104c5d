import { invalid } from '../errors.ts'
import { Int, Nullable, NullByDefault, OneOf, Shape, type Static } from '../schema.ts'
import { boundsProblem, checkWithinBounds } from './bounds.ts'
import type { MetadataType } from './metadata-type.ts'

const type = OneOf(['integer'])

const settings = Shape({ type, min: Nullable(Int()), max: Nullable(Int()) })

export const integer = {
  name: 'integer',
  settings,
  settingsCreate: Shape({ type, min: NullByDefault(Int()), max: NullByDefault(Int()) }, { 'x-check': boundsProblem }),
  checkValue(value, property) {
    // The JSON parser has already rounded numbers beyond 2^53, so the original value is lost.
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      throw invalid(`Metadata property \`${property.name}\` expects an integer between -(2^53 - 1) and 2^53 - 1`)
    }
    checkWithinBounds(value, property)
  },
  column: { type: 'int64', read: value => value },
  searchAs: 'integer',
  toSearch: value => (typeof value === 'number' ? [value] : []),
} satisfies MetadataType<Static<typeof settings>>
