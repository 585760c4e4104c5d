import { invalid } from '../errors.ts'
import { Float, Nullable, NullByDefault, OneOf, Shape, type Static } from '../schema.ts'
import { boundsProblem, checkWithinBounds } from './bounds.ts'
import type { MetadataType } from './metadata-type.ts'

const type = OneOf(['float'])

const settings = Shape({ type, min: Nullable(Float()), max: Nullable(Float()) })

export const float = {
  name: 'float',
  settings,
  settingsCreate: Shape({ type, min: NullByDefault(Float()), max: NullByDefault(Float()) }, { 'x-check': boundsProblem }),
  checkValue(value, property) {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw invalid(`Metadata property \`${property.name}\` expects a number`)
    }
    if (!Number.isFinite(Math.fround(value))) {
      throw invalid(`Metadata property \`${property.name}\` expects a number between -3.4e38 and 3.4e38`)
    }
    checkWithinBounds(value, property)
  },
  column: { type: 'float64', read: value => value },
  searchAs: 'float',
  // Every engine stores 32-bit floats, so that a filter finds the same records on all of them.
  toSearch: value => (typeof value === 'number' ? [Math.fround(value)] : []),
} satisfies MetadataType<Static<typeof settings>>
