import { invalid } from '../../errors.ts'
import { codePointLength, kindOf, own } from '../../own.ts'
import type { RecordFields } from '../../records.ts'
import { Bool, Int, type Json, List, Name, Nullable, OneOf, Optional, Shape, type Static, Text } from '../../schema.ts'
import * as options from '../options.ts'
import type { QuestionSurroundings, QuestionType } from '../question-type.ts'

const SPANS_MAX = 10_000

const type = OneOf(['span'])

const settings = Shape({
  type,
  field: Text(),
  options: List(options.QuestionOption),
  visible_options: Nullable(Int()),
  allow_overlapping: Bool(),
  /** Always true: kept for the clients that read it. */
  allow_character_annotation: Bool(),
})
export type SpanSettings = Static<typeof settings>

const visibleOptions = Optional(Nullable(Int({ minimum: options.VISIBLE_OPTIONS_MIN })))

const settingsCreate = Shape(
  {
    type,
    field: Name,
    options: List(options.OptionCreate, { minItems: 1 }),
    visible_options: visibleOptions,
    allow_overlapping: Optional(Bool({ default: false })),
  },
  { 'x-alias': { visible_labels: 'visible_options' }, 'x-check': options.visibleOptionsProblem },
)

const settingsUpdate = Shape({
  type,
  options: options.OptionsUpdate(1),
  visible_options: visibleOptions,
  allow_overlapping: Optional(Nullable(Bool())),
})

const Span = Shape(
  { label: Text(), start: Int({ minimum: 0 }), end: Int({ minimum: 1 }) },
  { 'x-check': ({ start, end }: { start: number; end: number }) => (end > start ? null : '`end` must be greater than `start`') },
)
type Span = Static<typeof Span>

/** The value of an answer. Offsets count code points, so no span can cut a character in two. */
export const SpanValue = List(Span, { maxItems: SPANS_MAX })

const isSpan = (entry: Json): entry is Span =>
  typeof entry === 'object' &&
  entry !== null &&
  !Array.isArray(entry) &&
  typeof entry.label === 'string' &&
  typeof entry.start === 'number' &&
  typeof entry.end === 'number'

export const span = {
  name: 'span',
  settings,
  settingsCreate,
  settingsUpdate,
  fillSettings: (given: Static<typeof settingsCreate>) => ({
    type: given.type,
    field: given.field,
    options: options.toStoredOptions(given.options),
    visible_options: given.visible_options ?? null,
    allow_overlapping: given.allow_overlapping ?? false,
    allow_character_annotation: true,
  }),
  checkSettings: (given, limits) => options.checkOptionsMax(given, limits.spanOptionsMax),
  checkReferences,
  patchSettings(settings, patch: Static<typeof settingsUpdate>) {
    options.checkSameType(settings, patch)
    const patched = options.patchOptions(settings, patch)
    // Stored answers may overlap. Leaving the key out counts as false, as it always has for existing clients.
    if (settings.allow_overlapping && patch.allow_overlapping !== true) {
      throw invalid('`allow_overlapping` cannot go back to false; repeat it as true', ['settings', 'allow_overlapping'])
    }
    return { ...settings, ...patched, allow_overlapping: patch.allow_overlapping ?? false }
  },
  checkValue(value, question, { fields }) {
    const spans = toSpans(value, question.name)
    checkInside(spans, question, spanLength(fields, question))
    for (const [index, { label }] of spans.entries()) options.checkOption(label, question, [index, 'label'])
    if (!question.settings.allow_overlapping) checkApart(spans, question.name)
  },
  listValued: true,
  searchAs: 'unordered',
  // Which labels were given; how often and where is not searched for.
  toSearch: value => (Array.isArray(value) ? [...new Set(value.filter(isSpan).map(({ label }) => label))] : []),
} satisfies QuestionType<SpanSettings>

function checkReferences({ field }: SpanSettings, { fields, questions }: QuestionSurroundings): void {
  const at = ['settings', 'field']
  if (!fields.some(({ name }) => name === field)) throw invalid(`\`${field}\` is not a field of this dataset`, at)
  const other = questions.find(({ settings }) => settings.type === 'span' && 'field' in settings && settings.field === field)
  if (other) throw invalid(`Field \`${field}\` already has the span question \`${other.name}\``, at)
}

function toSpans(value: Json, name: string): Span[] {
  if (Array.isArray(value) && value.every(isSpan)) return value
  const given = Array.isArray(value) ? 'something else in it' : kindOf(value)
  throw invalid(`Question \`${name}\` expects a list of spans with \`label\`, \`start\` and \`end\`, not ${given}`)
}

/** How many positions the field offers: code points of a text, messages of a chat. */
function spanLength(fields: RecordFields, { name, settings }: { name: string; settings: SpanSettings }): number {
  const value = own(fields, settings.field)
  if (typeof value === 'string') return codePointLength(value)
  if (Array.isArray(value)) return value.length
  throw invalid(`Question \`${name}\` needs a text in field \`${settings.field}\`, but the record has ${kindOf(value)}`)
}

function checkInside(spans: readonly Span[], { name, settings }: { name: string; settings: SpanSettings }, length: number): void {
  for (const [index, { start, end }] of spans.entries()) {
    if (start > length - 1 || end > length) {
      const where = `field \`${settings.field}\`, which has ${length} characters`
      throw invalid(`Span ${start} to ${end} of question \`${name}\` reaches past the end of ${where}`, [index])
    }
  }
}

/**
 * Sorted by start, spans are apart when each begins at or after the furthest end so far. Comparing all pairs instead would
 * take 50 million steps for the 10,000 spans one answer may hold.
 */
function checkApart(spans: readonly Span[], name: string): void {
  const sorted = spans.toSorted((a, b) => a.start - b.start)
  let furthest: Span | undefined
  for (const span of sorted) {
    if (furthest && span.start < furthest.end) {
      const both = `${furthest.start} to ${furthest.end} and ${span.start} to ${span.end}`
      throw invalid(`Spans of question \`${name}\` overlap: ${both}. The question does not allow it`)
    }
    furthest = span
  }
}
