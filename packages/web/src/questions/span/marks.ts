/** What is drawn on a text: the spans of all its questions, in UTF-16 units, each with its look and level. */
import type { Question } from '@postil/domain/questions'
import type { Suggestion } from '@postil/domain/suggestions'
import { toRaw } from 'vue'
import type { LabelColours } from '../../label-colours.ts'
import { settingsOf } from '../settings-of.ts'
import { suggestedBy } from '../suggested.ts'
import type { Chunk } from './chunks.ts'
import { type Look, labelsOf, lookAt } from './looks.ts'
import type { Offsets, Range } from './offsets.ts'
import { inOrder, isSpan, levelsOf, listFree, readSpans, type Span, spanKey } from './spans.ts'

/** One span question and its answer in this text. */
export interface SpanSource {
  question: Question
  /** Spans, or null: no answer. */
  value: unknown
  isPencil: boolean
  suggestion: Suggestion | null
  isActive: boolean
  /** Label -> letter. */
  letters: Readonly<Record<string, string>>
  colours?: LabelColours | undefined
}

export interface Mark extends Range {
  span: Span
  question: Question
  /** The label as people read it. */
  name: string
  look: Look
  level: number
  /** Ink: a person's. Pencil: filled in from the suggestion. Ghost: suggested, and no part of the answer. */
  state: 'ink' | 'pencil' | 'ghost'
  /** Undefined: not suggested; null: without a score. */
  score: number | null | undefined
}

const UNKNOWN = lookAt(8)

/** Spans by `markKey`. */
interface Touched {
  /** Suggested ones that the person took away here. */
  dismissed: ReadonlySet<string>
  /** Filled in here from the suggestion, and not touched one by one. */
  pencilled: ReadonlySet<string>
}

/** In the order of the text. */
export function listMarks(sources: readonly SpanSource[], offsets: Offsets, touched: Touched): Mark[] {
  const marks = sources.flatMap(source => marksOf(source, offsets, touched)).sort((a, b) => a.start - b.start || b.end - a.end)
  for (const [index, level] of levelsOf(marks).entries()) {
    const mark = marks[index]
    if (mark) mark.level = level
  }
  return marks
}

export const markKey = (question: Question, span: Span) => `${question.id} ${spanKey(span)}`

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
  const toMark = (span: Span, state: Mark['state'], score: Mark['score']): Mark => ({
    start: offsets.toUnits(span.start),
    end: offsets.toUnits(span.end),
    span,
    question,
    name: labels.get(span.label)?.name ?? span.label,
    look: labels.get(span.label) ?? UNKNOWN,
    level: 0,
    state,
    score,
  })
  // Without a suggestion, thousands of spans need not be looked up.
  const scoreOf = (span: Span) => (scores.size === 0 ? undefined : scores.get(spanKey(span)))
  const hasPencilled = pencilled.size > 0
  // The size tells of every change; to follow each key of thousands would cost more than all the rest.
  const keys = toRaw(pencilled)
  const isPencilled = (span: Span) => isPencil || (hasPencilled && keys.has(markKey(question, span)))
  const drawn = [
    ...spans.map(span => toMark(span, isPencilled(span) ? 'pencil' : 'ink', scoreOf(span))),
    ...ghosts.map(span => toMark(span, 'ghost', scoreOf(span))),
  ]
  return drawn.filter(mark => mark.start < mark.end)
}

interface Suggested {
  /** In the order of the text. */
  spans: Span[]
  scores: ReadonlyMap<unknown, number | null>
}
const NOTHING: Suggested = { spans: [], scores: new Map() }

/** Thousands of spans are asked for with every mark; they are read once. */
const read = new WeakMap<Suggestion, Suggested>()

function suggestedSpans(suggestion: Suggestion): Suggested {
  const known = read.get(suggestion)
  if (known) return known
  const scores = suggestedBy(suggestion, entry => (isSpan(entry) ? spanKey(entry) : null))
  const made = { spans: (readSpans(suggestion.value) ?? []).sort(inOrder), scores }
  read.set(suggestion, made)
  return made
}

const areSameMark = (a: Mark, b: Mark) =>
  a.start === b.start &&
  a.end === b.end &&
  a.name === b.name &&
  a.level === b.level &&
  a.state === b.state &&
  a.look.classes === b.look.classes &&
  a.score === b.score &&
  a.question === b.question &&
  a.span.label === b.span.label

/** The marks of each chunk. A mark that did not change stays the same object, a chunk without a change the same list. */
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
