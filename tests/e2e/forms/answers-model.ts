/** What a person has chosen in one form, by rules written for the tests, without any code of the form. */
import type { Asked, FormPlan, Span, Value } from './plans.ts'

interface Chosen {
  value: Value
  /** Filled in from the suggestion, and not confirmed. */
  isPencil: boolean
}

interface Change {
  question: Asked
  before: Chosen | undefined
  after: Chosen | undefined
  isTyping: boolean
}

export type Outcome = 'submitted' | 'discarded' | 'draft' | 'left'

const sameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export class AnswersModel {
  readonly plan: FormPlan
  readonly suggestions: Record<string, Value>
  answers = new Map<string, Chosen>()
  readonly start: ReadonlyMap<string, Chosen>
  done: Change[] = []
  undone: Change[] = []
  outcome: Outcome | null = null

  constructor(plan: FormPlan, at: number) {
    this.plan = plan
    this.suggestions = plan.suggestions[at] ?? {}
    if (plan.mode === 'prefill')
      for (const [name, value] of Object.entries(this.suggestions)) this.answers.set(name, { value, isPencil: true })
    this.start = new Map(this.answers)
  }

  chosen = ({ name }: Asked): Value | undefined => this.answers.get(name)?.value
  isPencil = ({ name }: Asked) => this.answers.get(name)?.isPencil ?? false
  spans = (question: Asked): Span[] => (this.chosen(question) as Span[] | undefined) ?? []
  ranks = (question: Asked) => ({ ...((this.chosen(question) as Record<string, number> | undefined) ?? {}) })

  set(question: Asked, value: Value | undefined, isTyping = false): void {
    const before = this.answers.get(question.name)
    const after = value === undefined ? undefined : { value, isPencil: false }
    if (sameJson(before, after)) return
    this.done.push({ question, before, after, isTyping })
    this.undone = []
    this.put(question, after)
  }
  private put({ name }: Asked, chosen: Chosen | undefined): void {
    if (chosen) this.answers.set(name, chosen)
    else this.answers.delete(name)
  }
  /** Both return the question that changed. */
  undo(): Asked | undefined {
    const change = this.done.pop()
    if (!change) return undefined
    this.undone.push(change)
    this.put(change.question, change.before)
    return change.question
  }
  redo(): Asked | undefined {
    const change = this.undone.pop()
    if (!change) return undefined
    this.done.push(change)
    this.put(change.question, change.after)
    return change.question
  }

  /** Returns true if the question is now answered, so that the next one follows. */
  pick(question: Asked, option: string | number): boolean {
    if (question.kind === 'labels') {
      const before = (this.chosen(question) as string[] | undefined) ?? []
      const after = question.options.filter(one => (one === option) !== before.includes(one as string)) as string[]
      this.set(question, after.length > 0 ? after : undefined)
      return false
    }
    const clears = this.chosen(question) === option && !this.isPencil(question)
    this.set(question, clears ? undefined : option)
    return !clears
  }
  /** A suggestion that is hidden cannot be accepted. */
  suggestion(question: Asked): Value | undefined {
    const isHidden = this.plan.mode === 'hide' && this.chosen(question) === undefined
    return isHidden ? undefined : this.suggestions[question.name]
  }
  take(question: Asked): void {
    const suggestion = this.suggestion(question)
    if (suggestion !== undefined) this.set(question, suggestion)
  }
  rank(question: Asked, item: string, rank: number | null): void {
    const ranks = this.ranks(question)
    if ((ranks[item] ?? null) === rank && !this.isPencil(question)) return
    delete ranks[item]
    if (rank !== null) ranks[item] = rank
    const ranked = Object.fromEntries(question.options.flatMap(one => (ranks[one] ? [[one, ranks[one]] as const] : [])))
    this.set(question, Object.keys(ranked).length > 0 ? ranked : undefined)
  }
  mark(question: Asked, span: Span): void {
    const apart = this.spans(question).filter(({ from, to }) => to < span.from || from > span.to)
    this.set(question, inOrder([...apart, span]))
  }
  unmark(question: Asked, { from, to }: Pick<Span, 'from' | 'to'>): void {
    const spans = this.spans(question)
    const exact = spans.filter(span => span.from === from && span.to === to)
    const gone = exact.length > 0 ? exact : spans.filter(span => span.to >= from && span.from <= to)
    if (gone.length > 0)
      this.set(
        question,
        spans.filter(span => !gone.includes(span)),
      )
  }
  nothing(question: Asked): void {
    if (this.spans(question).length > 0) return
    this.set(question, this.chosen(question) === undefined ? [] : undefined)
  }

  private isWhole(question: Asked): boolean {
    const value = this.chosen(question)
    if (value === undefined) return false
    if (question.kind === 'text') return (value as string).trim() !== ''
    return question.kind !== 'ranking' || Object.keys(value).length === question.options.length
  }
  /** The first question that prevents submitting. */
  gap(): Asked | undefined {
    const isGap = (question: Asked) =>
      !this.isWhole(question) && (question.required || (question.kind === 'ranking' && this.chosen(question) !== undefined))
    return this.plan.questions.find(isGap)
  }
  /** Values as they should be stored. */
  stored(): Record<string, Value> {
    const kept = this.plan.questions.filter(one => this.chosen(one) !== undefined && (this.isDraft() || this.isWhole(one)))
    return Object.fromEntries(kept.map(one => [one.name, this.chosen(one) as Value]))
  }
  private isDraft = () => this.outcome === 'draft' || this.outcome === 'left'
  isUntouched = () => sameValues(this.answers, this.start)
}

const inOrder = (spans: Span[]) => spans.toSorted((a, b) => a.from - b.from)
const sameValues = (one: ReadonlyMap<string, Chosen>, other: ReadonlyMap<string, Chosen>) =>
  one.size === other.size && [...one].every(([name, { value }]) => sameJson(value, other.get(name)?.value))
