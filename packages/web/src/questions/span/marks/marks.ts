/** Marks on a text: the spans of all its questions in UTF-16 units, with style and level. */
import type { Question } from '@postil/domain/questions'
import type { Suggestion } from '@postil/domain/suggestions'
import { toRaw } from 'vue'
import type { LabelColours } from '../../../label-colours.ts'
import { settingsOf } from '../../settings-of.ts'
import { suggestedBy } from '../../suggested.ts'
import { type Look, labelsOf, lookAt } from '../labels/looks.ts'
import { inOrder, isSpan, levelsOf, listFree, readSpans, type Span, spanKey } from '../spans.ts'
import type { Chunk } from '../text/chunks.ts'
import type { Offsets, Range } from '../text/offsets.ts'

/** A span question and its answer for this text. */
export interface SpanSource {
  question: Question
  /** Spans; null if there is no answer. */
  value: unknown
  isPencil: boolean
  suggestion: Suggestion | null
  isActive: boolean
  /** True if the text belongs to a record that is not shown. */
  isHidden?: boolean
  /** Label -> letter. */
  letters: Readonly<Record<string, string>>
  colours?: LabelColours | undefined
}

export interface Mark extends Range {
  span: Span
  question: Question
  /** Display name of the label. */
  name: string
  look: Look
  level: number
  /** `ink`: marked by the user. `pencil`: filled in from the suggestion. `ghost`: suggested, but not part of the answer. */
  state: 'ink' | 'pencil' | 'ghost'
  /** Undefined if not suggested; null if suggested without a score. */
  score: number | null | undefined
}

const UNKNOWN = lookAt(8)

/** Sets of spans by `markKey`. */
interface Touched {
  /** Suggested spans that the user has removed. */
  dismissed: ReadonlySet<string>
  /** Spans filled in from the suggestion that the user has not changed. */
  pencilled: ReadonlySet<string>
}

/** Returns the marks in text order. */
export function listMarks(sources: readonly SpanSource[], offsets: Offsets, touched: Touched): Mark[] {
  const marks = sources.flatMap(source => marksOf(source, offsets, touched)).sort((a, b) => a.start - b.start || b.end - a.end)
  const levels = levelsOf(marks)
  return marks.map((mark, index) => {
    const level = levels[index] ?? 0
    if (mark.level === level) return mark
    const moved = { ...mark, level }
    made.set(mark.span, { mark: moved, offsets })
    return moved
  })
}

const keys = new WeakMap<Span, { questionId: string; key: string }>()

/** Cached per span, because thousands of spans are looked up by key for every mark. */
export function markKey({ id: questionId }: Question, span: Span): string {
  const known = keys.get(span)
  if (known?.questionId === questionId) return known.key
  const key = `${questionId} ${spanKey(span)}`
  keys.set(span, { questionId, key })
  return key
}

/** Marks of the last render by span, so that thousands of unchanged marks are reused. */
const made = new WeakMap<Span, { mark: Mark; offsets: Offsets }>()

function toMark(fresh: Pick<Mark, 'span' | 'question' | 'name' | 'look' | 'state' | 'score'>, offsets: Offsets): Mark {
  const { span, question, name, look, state, score } = fresh
  const known = made.get(span)
  const mark = known?.offsets === offsets ? known.mark : null
  const isSame = mark?.question === question && mark.look === look && mark.name === name && mark.state === state
  if (mark && isSame && mark.score === score) return mark
  const start = offsets.toUnits(span.start)
  const next: Mark = { ...fresh, start, end: offsets.toUnits(span.end), level: mark?.level ?? 0 }
  made.set(span, { mark: next, offsets })
  return next
}

function marksOf(
  { question, value, isPencil, suggestion, colours }: SpanSource,
  offsets: Offsets,
  { dismissed, pencilled }: Touched,
): Mark[] {
  const settings = settingsOf(question, 'span')
  const labels = labelsOf(settings.options, colours)
  const spans = readSpans(value) ?? []
  const { spans: suggested, scores } = suggestion ? suggestedSpans(suggestion) : NOTHING
  const ghosts = listFree(suggested, spans, settings).filter(span => !dismissed.has(markKey(question, span)))
  const markOf = (span: Span, state: Mark['state'], score: Mark['score']): Mark => {
    const label = labels.get(span.label)
    return toMark({ span, question, name: label?.name ?? span.label, look: label ?? UNKNOWN, state, score }, offsets)
  }
  // Skips thousands of lookups if there is no suggestion.
  const scoreOf = (span: Span) => (scores.size === 0 ? undefined : scores.get(spanKey(span)))
  const hasPencilled = pencilled.size > 0
  // Reading `size` tracks every change; tracking each key of thousands would be more expensive than everything else.
  const touched = toRaw(pencilled)
  const isPencilled = (span: Span) => isPencil || (hasPencilled && touched.has(markKey(question, span)))
  const drawn = [
    ...spans.map(span => markOf(span, isPencilled(span) ? 'pencil' : 'ink', scoreOf(span))),
    ...ghosts.map(span => markOf(span, 'ghost', scoreOf(span))),
  ]
  return drawn.filter(mark => mark.start < mark.end)
}

interface Suggested {
  /** In text order. */
  spans: Span[]
  scores: ReadonlyMap<unknown, number | null>
}
const NOTHING: Suggested = { spans: [], scores: new Map() }

/** Cache, because thousands of suggested spans are needed for every mark. */
const read = new WeakMap<Suggestion, Suggested>()

function suggestedSpans(suggestion: Suggestion): Suggested {
  const known = read.get(suggestion)
  if (known) return known
  const scores = suggestedBy(suggestion, entry => (isSpan(entry) ? spanKey(entry) : null))
  const suggested = { spans: (readSpans(suggestion.value) ?? []).sort(inOrder), scores }
  read.set(suggestion, suggested)
  return suggested
}

const areSameMark = (a: Mark, b: Mark) =>
  a === b ||
  (a.start === b.start &&
    a.end === b.end &&
    a.name === b.name &&
    a.level === b.level &&
    a.state === b.state &&
    a.look.classes === b.look.classes &&
    a.score === b.score &&
    a.question === b.question &&
    a.span.label === b.span.label)

/** Groups marks by chunk. Unchanged marks stay the same objects, and unchanged chunks keep the same list. */
export function marksByChunk(marks: readonly Mark[], chunks: readonly Chunk[], before: readonly Mark[][] = []): Mark[][] {
  let next = 0
  let open: Mark[] = []
  return chunks.map(({ start, end }, index) => {
    open = open.filter(mark => mark.end > start)
    for (let mark = marks[next]; mark && mark.start < end; mark = marks[++next]) open.push(mark)
    const old = before[index] ?? []
    const isSame = old.length === open.length && open.every((mark, at) => areSameMark(mark, old[at] ?? mark))
    return isSame && before[index] ? old : keepSame(open, old)
  })
}

function keepSame(marks: readonly Mark[], old: readonly Mark[]): Mark[] {
  const known = new Map(old.map(mark => [markKey(mark.question, mark.span), mark]))
  return marks.map(mark => {
    const same = known.get(markKey(mark.question, mark.span))
    return same && areSameMark(mark, same) ? same : mark
  })
}
