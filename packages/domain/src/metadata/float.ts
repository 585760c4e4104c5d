import { invalid } from '../errors.ts'
import { Float, Nullable, NullByDefault, OneOf, Shape, type Static } from '../schema.ts'
import { boundsProblem, checkBounds } from './bounds.ts'
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
    checkBounds(value, property)
  },
  searchAs: 'float',
  // Every engine keeps these as 32 bits, so that a filter finds the same records whichever engine runs.
  toSearch: value => (typeof value === 'number' ? [Math.fround(value)] : []),
} satisfies MetadataType<Static<typeof settings>>
