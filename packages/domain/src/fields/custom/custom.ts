import { invalid } from '../../errors.ts'
import { Bool, type Json, OneOf, Optional, Shape, type Static, Text } from '../../schema.ts'
import type { FieldType } from '../field-type.ts'

const type = OneOf(['custom'])

const settings = Shape({ type, template: Text(), advanced_mode: Bool() })

export const custom = {
  name: 'custom',
  settings,
  settingsCreate: Shape({ type, template: Text(), advanced_mode: Optional(Bool({ default: false })) }),
  settingsUpdate: settings,
  checkValue(value, fieldName) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject) throw invalid(`Field \`${fieldName}\` expects an object`)
  },
  toStored: value => value,
  spanLength: () => null,
  column: { type: 'json', read: toCustom },
  searchable: true,
  toText(value) {
    const pieces: string[] = []
    collectText(value, pieces)
    return pieces
  },
  // Not highlighted, because a template may show the values anywhere and in any form.
  toMarked: () => null,
} satisfies FieldType<Static<typeof settings>>

/** Collects keys, texts and numbers, each as a separate piece. */
function collectText(value: Json, pieces: string[]): void {
  if (typeof value === 'string' || typeof value === 'number') pieces.push(String(value))
  else if (Array.isArray(value)) for (const entry of value) collectText(entry, pieces)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      pieces.push(key)
      collectText(entry, pieces)
    }
  }
}

/** Parses JSON text, because exports write custom fields as JSON text if their values differ in shape. */
function toCustom(value: Json): Json {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as Json
  } catch {
    // Not JSON from an export. `checkValue` reports the expected form.
    return value
  }
}
