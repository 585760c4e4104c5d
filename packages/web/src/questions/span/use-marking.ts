/** What a person does to the spans of a text: each change goes up as the whole answer, and is said aloud. */
import type { Question } from '@postil/domain/questions'
import { onScopeDispose, ref, shallowReactive, shallowRef, watch } from 'vue'
import { t } from '../../i18n/i18n.ts'
import { settingsOf } from '../settings-of.ts'
import { armedLabel, type Offer, offer, takeBack } from './armed.ts'
import { findIdentical } from './identical.ts'
import { labelsOf } from './looks.ts'
import { type Mark, markKey, type SpanSource } from './marks.ts'
import type { Offsets, Range } from './offsets.ts'
import { addSpans, readSpans, relabel, removeSpans, type Span, toggleLabel } from './spans.ts'

interface Text {
  text(): string
  offsets(): Offsets
  sources(): readonly SpanSource[]
  isReadonly(): boolean
  emit(question: Question, spans: Span[]): void
}

/** Of what is read aloud. */
const SAID_MAX = 80

export function useMarking({ text, offsets, sources, isReadonly, emit }: Text) {
  const said = ref('')
  const dismissed = shallowReactive(new Set<string>())
  /** Filled in here from the suggestion, and since then not touched one by one: they stay pencil beside those a person made. */
  const pencilled = shallowReactive(new Set<string>())
  const offered = shallowRef<{ questionId: string; offer: Offer } | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined

  /** The question that keys and selections go to: the one in hand, else the first. */
  const target = () => sources().find(({ isActive }) => isActive) ?? sources()[0] ?? null
  /** The one with a label in hand goes first. */
  const armed = () => [target(), ...sources()].find(source => source && armedLabel(source.question.id) !== null) ?? null
  const current = (question: Question) => readSpans(sources().find(source => source.question.id === question.id)?.value) ?? []
  const rule = (question: Question) => settingsOf(question, 'span')

  /** A screen reader is silent about a text that is there already. */
  function say(message: string) {
    said.value = said.value === message ? `${message}\u00a0` : message
  }
  const words = ({ start, end }: Range) => text().slice(start, Math.min(end, start + SAID_MAX))
  const nameOf = (question: Question, label: string) => labelsOf(rule(question).options).get(label)?.name ?? label

  function withdraw() {
    clearTimeout(timer)
    if (offered.value) takeBack(offered.value.questionId, offered.value.offer)
    offered.value = null
  }

  function change(question: Question, spans: Span[], message: string) {
    if (isReadonly()) return
    withdraw()
    emit(question, spans)
    say(message)
  }

  /** Gives the range a label by hand. */
  function confirm(question: Question, span: Span) {
    pencilled.delete(markKey(question, span))
  }

  function mark(question: Question, range: Range, label: string) {
    const span = { label, start: offsets().toPoints(range.start), end: offsets().toPoints(range.end) }
    confirm(question, span)
    change(
      question,
      addSpans(current(question), [span], rule(question)),
      t('span.said_marked', { label: nameOf(question, label), text: words(range) }),
    )
    // Looked for after the mark is on screen: it reads the whole text.
    timer = setTimeout(() => offerIdentical(question, span))
  }

  function offerIdentical(question: Question, span: Span) {
    const find = () =>
      findIdentical(text(), offsets(), span, { spans: current(question), allow_overlapping: rule(question).allow_overlapping })
    const { length: count } = find()
    if (count === 0) return
    const take = () => change(question, addSpans(current(question), find(), rule(question)), t('span.said_marked_all', { count }))
    const made = { count, take }
    offered.value = { questionId: question.id, offer: made }
    offer(question.id, made)
  }

  function remove(marks: readonly Mark[]) {
    for (const { question, span } of marks) dismissed.add(markKey(question, span))
    const first = marks[0]
    const others = marks.filter(({ question, state }) => question === first?.question && state !== 'ghost')
    if (!first || others.length === 0) return
    const message = t('span.said_removed', { label: first.name, text: words(first) })
    change(
      first.question,
      removeSpans(
        current(first.question),
        others.map(({ span }) => span),
      ),
      message,
    )
  }

  /** A suggested span becomes part of the answer. */
  const accept = ({ question, span, name, start, end }: Mark) =>
    change(
      question,
      addSpans(current(question), [span], rule(question)),
      t('span.said_marked', { label: name, text: words({ start, end }) }),
    )

  /** Another label for what is marked; with overlap one more, or one less. */
  function pickFor({ question, span, start, end }: Mark, label: string) {
    confirm(question, { ...span, label })
    const choose = rule(question).allow_overlapping ? toggleLabel : relabel
    const message = t('span.said_marked', { label: nameOf(question, label), text: words({ start, end }) })
    change(question, choose(current(question), span, label, rule(question)), message)
  }

  watch(text, () => {
    withdraw()
    dismissed.clear()
    pencilled.clear()
    said.value = ''
  })
  watch(
    sources,
    all => {
      for (const { question, value, isPencil } of all) {
        if (isPencil) for (const span of readSpans(value) ?? []) pencilled.add(markKey(question, span))
      }
    },
    { immediate: true },
  )
  onScopeDispose(withdraw)
  return {
    said,
    dismissed,
    pencilled,
    target,
    armed,
    say,
    words,
    mark,
    remove,
    accept,
    pickFor,
    takeOffer: () => offered.value?.offer.take(),
    hasOffer: () => offered.value !== null,
  }
}

export type Marking = ReturnType<typeof useMarking>
