import { codePointLength } from '../../code-points.ts'
import { type ColumnType, withoutNulls } from '../../columns.ts'
import { invalid } from '../../errors.ts'
import { resolveParts } from '../../exports/resolve.ts'
import { kindOf } from '../../message-values.ts'
import { ownProperty } from '../../own-property.ts'
import type { RecordFields } from '../../records.ts'
import { Bool, Float, Int, type Json, List, Name, Nullable, OneOf, Optional, Shape, type Static, Text } from '../../schema.ts'
import { replaceInSpans } from '../labels.ts'
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
  /** Always true. Existing clients read it. */
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

const parts = { label: Text(), start: Int({ minimum: 0 }), end: Int({ minimum: 1 }) }
const order = {
  'x-check': ({ start, end }: { start: number; end: number }) => (end > start ? null : '`end` must be greater than `start`'),
}

const Span = Shape(parts, order)
type Span = Static<typeof Span>

/** The value of an answer. Offsets count code points, so a span never splits a surrogate pair. */
export const SpanValue = List(Span, { maxItems: SPANS_MAX })

/** The Python client 1.x sends and reads a score in each suggested span. */
export const SuggestedSpanValue = List(Shape({ ...parts, score: Optional(Nullable(Float())) }, order), { maxItems: SPANS_MAX })

const isSpan = (entry: Json): entry is Span =>
  typeof entry === 'object' &&
  entry !== null &&
  !Array.isArray(entry) &&
  typeof entry.label === 'string' &&
  typeof entry.start === 'number' &&
  typeof entry.end === 'number'

const SPAN_COLUMN: ColumnType = { struct: { label: 'string', start: 'int64', end: 'int64' } }

/** Removes scores and other keys that clients add. */
const toPlainSpans = (value: Json): Span[] =>
  Array.isArray(value) ? value.filter(isSpan).map(({ label, start, end }) => ({ label, start, end })) : []

const compareSpans = (a: Span, b: Span) =>
  a.start - b.start || a.end - b.end || (a.label < b.label ? -1 : Number(a.label > b.label))

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
    // Stored answers may overlap, so it cannot be disabled again. Existing clients expect a missing key to mean false.
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
  column: { type: { list: SPAN_COLUMN }, read: withoutNulls },
  resolution: {
    tied: { list: SPAN_COLUMN },
    of: answers => resolveParts(answers.map(toPlainSpans), JSON.stringify, (a, b) => compareSpans(a as Span, b as Span)),
  },
  marks: { field: ({ field }) => field, spans: toPlainSpans },
  labels: { min: 1, max: limits => limits.spanOptionsMax, replace: replaceInSpans },
  searchAs: 'unordered',
  // Only the labels are searchable, not their number or position.
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

/** Number of positions in the field: code points of a text, messages of a chat. */
function spanLength(fields: RecordFields, { name, settings }: { name: string; settings: SpanSettings }): number {
  const value = ownProperty(fields, settings.field)
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
 * Throws if spans overlap. In order of start, each span must begin at or after the furthest end so far. Comparing all pairs would
 * take 50 million steps for the 10,000 spans that one answer may have.
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
