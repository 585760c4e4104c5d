import { codePointLength } from '../../code-points.ts'
import { toColumnText } from '../../columns.ts'
import { invalid } from '../../errors.ts'
import { Bool, OneOf, Optional, Shape, type Static } from '../../schema.ts'
import type { FieldType } from '../field-type.ts'

const type = OneOf(['text'])

const settings = Shape({ type, use_markdown: Bool() })

export const text = {
  name: 'text',
  settings,
  settingsCreate: Shape({ type, use_markdown: Optional(Bool({ default: false })) }),
  settingsUpdate: settings,
  checkValue(value, fieldName) {
    if (typeof value !== 'string') throw invalid(`Field \`${fieldName}\` expects a text`)
  },
  toStored: value => value,
  spanLength: value => (typeof value === 'string' ? codePointLength(value) : null),
  column: { type: 'string', read: toColumnText },
  searchable: true,
  toText: value => (typeof value === 'string' ? [value] : []),
  toMarked: value => (typeof value === 'string' ? value : null),
} satisfies FieldType<Static<typeof settings>>
