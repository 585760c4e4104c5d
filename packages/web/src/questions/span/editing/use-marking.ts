/** User actions on the spans of a text. Each change emits the whole answer and is announced to screen readers. */
import type { Question } from '@postil/domain/questions'
import { ref, watch } from 'vue'
import { t } from '../../../i18n/i18n.ts'
import { settingsOf } from '../../settings-of.ts'
import { type Offer, useArmed } from '../labels/armed.ts'
import { type Mark, markKey, type SpanSource } from '../marks/marks.ts'
import { addSpans, readSpans, relabel, removeSpans, type Span, toggleLabel } from '../spans.ts'
import type { Offsets, Range } from '../text/offsets.ts'
import { findIdentical } from './identical.ts'
import { useOffer } from './use-offer.ts'
import { useTouched } from './use-touched.ts'

interface Text {
  text(): string
  offsets(): Offsets
  sources(): readonly SpanSource[]
  isReadonly(): boolean
  emit(question: Question, spans: Span[]): void
}

/** Maximum length of the announced text. */
const SAID_MAX = 80

const rule = (question: Question) => settingsOf(question, 'span')
const nameOf = (question: Question, label: string) => rule(question).options.find(({ value }) => value === label)?.text ?? label

export function useMarking({ text, offsets, sources, isReadonly, emit }: Text) {
  const said = ref('')
  const hand = useArmed()
  const offer = useOffer()
  const { dismissed, pencilled } = useTouched(text, sources)

  /** Question that receives keys and selections: the current one, otherwise the first. */
  const target = () => sources().find(({ isActive }) => isActive) ?? sources()[0] ?? null
  /** Question with an armed label; the target question has priority. */
  const armed = () => [target(), ...sources()].find(source => source && hand.labelFor(source.question.id) !== null) ?? null
  const current = (question: Question) => readSpans(sources().find(source => source.question.id === question.id)?.value) ?? []

  /** A repeated message is changed slightly, because screen readers do not announce unchanged text. */
  function say(message: string) {
    said.value = said.value === message ? `${message}\u00a0` : message
  }
  const words = ({ start, end }: Range) => text().slice(start, Math.min(end, start + SAID_MAX))

  function change(question: Question, spans: Span[], message: string) {
    if (isReadonly()) return
    offer.withdraw()
    emit(question, spans)
    say(message)
  }
  const add = (question: Question, span: Span, range: Range) =>
    change(
      question,
      addSpans(current(question), [span], rule(question)),
      t('span.said_marked', { label: nameOf(question, span.label), text: words(range) }),
    )

  function mark(question: Question, range: Range, label: string) {
    const span = { label, start: offsets().toPoints(range.start), end: offsets().toPoints(range.end) }
    pencilled.delete(markKey(question, span))
    add(question, span, range)
    offer.prepare(question.id, () => findOffer(question, span))
  }

  function findOffer(question: Question, span: Span): Offer | null {
    const { allow_overlapping } = rule(question)
    const find = () => findIdentical(text(), offsets(), span, { spans: current(question), allow_overlapping })
    const { length: count } = find()
    const take = () => change(question, addSpans(current(question), find(), rule(question)), t('span.said_marked_all', { count }))
    return count === 0 ? null : { count, take }
  }

  /** Removes the marks that belong to the question of the first one. Suggested spans are not shown again. */
  function remove(marks: readonly Mark[]) {
    for (const { question, span } of marks) dismissed.add(markKey(question, span))
    const own = marks.filter(({ question, state }) => question === marks[0]?.question && state !== 'ghost')
    const [first] = own
    if (!first) return
    const left = own.reduce((spans, { span }) => removeSpans(spans, [span]), current(first.question))
    change(first.question, left, t('span.said_removed', { label: first.name, text: words(first) }))
  }

  /** Relabels a mark; if overlaps are allowed, adds or removes the label. */
  function pickFor({ question, span, start, end }: Mark, label: string) {
    pencilled.delete(markKey(question, { ...span, label }))
    const choose = rule(question).allow_overlapping ? toggleLabel : relabel
    const message = t('span.said_marked', { label: nameOf(question, label), text: words({ start, end }) })
    change(question, choose(current(question), span, label, rule(question)), message)
  }

  watch(text, () => {
    offer.withdraw()
    said.value = ''
  })
  /** Accepts a suggested span into the answer. */
  const accept = (ghost: Mark) => add(ghost.question, ghost.span, ghost)
  const offering = { takeOffer: offer.take, hasOffer: offer.isMade }
  return { said, dismissed, pencilled, target, armed, say, words, mark, remove, accept, pickFor, ...offering }
}

export type Marking = ReturnType<typeof useMarking>
