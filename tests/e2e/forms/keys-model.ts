/** What each key means to a person at the form: the question in hand, the focus, the selection in the text, and the answers. */
import { AnswersModel, type Outcome } from './answers-model.ts'
import { type Asked, type FormPlan, wordsOf } from './plans.ts'

type Focus = 'page' | 'option' | 'box' | 'editor' | 'text'

/** What stays from record to record. */
export interface Hand {
  /** Label for the next selection in a text. */
  armed: string | null
}

const isDigit = (key: string) => /^\d$/.test(key)
const SENDING: Record<string, Outcome> = {
  Enter: 'submitted',
  'Control+Enter': 'submitted',
  'Control+s': 'draft',
  x: 'discarded',
}

export class KeysModel {
  readonly answers: AnswersModel
  readonly plan: FormPlan
  private readonly hand: Hand
  private readonly words: number
  private at = 0
  private focus: Focus = 'page'
  /** The option that has or had the focus, by question. */
  private readonly held = new Map<string, string | number>()
  private selection: { anchor: number; head: number } | null = null
  private from = 0

  constructor(plan: FormPlan, at: number, hand: Hand) {
    this.plan = plan
    this.answers = new AnswersModel(plan, at)
    this.hand = hand
    this.words = wordsOf(at).length
  }

  private get question(): Asked {
    return this.plan.questions[this.at] as Asked
  }
  private get spanQuestion(): Asked | undefined {
    return this.plan.questions.find(({ kind }) => kind === 'span')
  }
  private get options() {
    return this.question.options
  }

  /** False for keys that this model does not know here, such as Tab out of a text. */
  offers(key: string): boolean {
    if (this.answers.outcome !== null) return false
    const { kind } = this.question
    if (this.focus === 'editor') return /^[ab ]$/.test(key) || ['Backspace', 'Escape', 'Control+Enter', 'Control+s'].includes(key)
    if (key === 'b' || key === 'a' || key === ' ' || key === 'Backspace' || key === 'Control+Enter') return false
    if (key === 'Shift+Enter') return kind === 'text' && this.focus !== 'text'
    if (key === 'Tab') return this.focus === 'page' || this.focus === 'option'
    if (key === 'Space') return this.focus === 'page' || (this.focus === 'option' && kind !== 'ranking')
    if (key === 'Control+z') return this.answers.done.length > 0 && !this.answers.done.at(-1)?.isTyping
    if (key === 'Control+y') return this.answers.undone.length > 0
    if (/Arrow(Left|Right)$/.test(key)) return this.focus === 'text'
    if (key === 'Delete' || /^Alt\+Arrow/.test(key)) return this.focus === 'text' || this.focus === 'option'
    return true
  }

  press(key: string): void {
    const outcome = SENDING[key]
    if (this.focus === 'editor') this.write(key)
    else if (outcome !== undefined) this.send(outcome)
    else if (isDigit(key)) this.digit(Number(key))
    else if (/^Shift\+\d$/.test(key)) this.goTo(Number(key.at(-1)) - 1)
    else this.act(key)
  }
  private act(key: string): void {
    const { answers, question } = this
    const acts: Record<string, () => void> = {
      Escape: () => this.escape(),
      Tab: () => (this.focus === 'page' ? this.enter() : this.nextOption()),
      Space: () => this.focus === 'option' && this.toggle(this.held.get(question.name)),
      ArrowDown: () => this.turn(1),
      ArrowUp: () => this.turn(-1),
      'Alt+Backspace': () => answers.set(question, undefined),
      u: () => answers.take(question),
      q: () => this.enter(),
      r: () => this.read(),
      'Shift+Enter': () => this.edit(),
      'Control+z': () => this.follow(answers.undo()),
      'Control+y': () => this.follow(answers.redo()),
      Delete: () => this.remove(),
      'Alt+ArrowUp': () => this.step(-1),
      'Alt+ArrowDown': () => this.step(1),
      ArrowRight: () => this.select(1, false),
      ArrowLeft: () => this.select(-1, false),
      'Shift+ArrowRight': () => this.select(1, true),
      'Shift+ArrowLeft': () => this.select(-1, true),
    }
    acts[key]?.()
  }

  private send(outcome: Outcome): void {
    const gap = outcome === 'submitted' ? this.answers.gap() : undefined
    if (gap === undefined) this.answers.outcome = outcome
    else {
      this.at = this.plan.questions.indexOf(gap)
      this.enter()
    }
  }

  /** Moves the focus into the question in hand. */
  private enter(): void {
    const { question, held } = this
    if (question.kind === 'text') {
      this.focus = 'box'
      return
    }
    this.focus = 'option'
    held.set(question.name, this.preferred() ?? held.get(question.name) ?? this.list()[0] ?? '')
  }
  private preferred(): string | number | undefined {
    const { question, answers, options } = this
    if (question.kind === 'ranking') return options.find(item => answers.ranks(question)[item] === undefined)
    if (question.kind === 'span') return this.hand.armed ?? options[0]
    const value = answers.chosen(question)
    const chosen =
      question.kind === 'labels' ? options.find(one => (value as string[] | undefined)?.includes(one as string)) : value
    return (chosen as string | number | undefined) ?? (question.kind === 'rating' ? undefined : options[0])
  }
  /** Options in the order of the screen. */
  private list(): (string | number)[] {
    const { question, options } = this
    if (question.kind !== 'ranking') return options
    const ranks = this.answers.ranks(question)
    return options.toSorted((a, b) => (ranks[a] ?? Infinity) - (ranks[b] ?? Infinity) || 0)
  }
  private nextOption(): void {
    const list = this.list()
    const at = list.indexOf(this.held.get(this.question.name) ?? '')
    this.held.set(this.question.name, list[(at + 1) % list.length] ?? '')
  }
  private turn(step: 1 | -1): void {
    if (this.plan.questions[this.at + step]) this.follow(this.plan.questions[this.at + step])
  }
  /** The focus goes along if it is in the form. */
  private follow(question: Asked | undefined): void {
    if (!question || question === this.question) return
    this.at = this.plan.questions.indexOf(question)
    if (this.focus === 'option' || this.focus === 'box') this.enter()
  }
  private goTo(at: number): void {
    if (!this.plan.questions[at]) return
    this.at = at
    this.enter()
  }

  private digit(number: number): void {
    const { spanQuestion } = this
    const label = this.focus === 'text' ? spanQuestion?.options[number - 1] : undefined
    const { question, options } = this
    if (spanQuestion && label !== undefined) this.pickSpan(spanQuestion, String(label))
    else if (question.kind === 'span' && number === 0) this.answers.nothing(question)
    else if (question.kind === 'ranking') this.rank(number)
    else this.toggle(question.kind === 'rating' ? options.find(one => one === number) : options[number - 1])
  }
  private toggle(option: string | number | undefined): void {
    const { question } = this
    if (option === undefined) return
    if (question.kind === 'span') this.pickSpan(question, String(option))
    else if (this.answers.pick(question, option)) this.advance(question)
  }
  /** With one question that one key answers, the answer is sent. */
  private advance(question: Asked): void {
    const { questions } = this.plan
    const isSingle = questions.length === 1 && ['label', 'rating'].includes(question.kind)
    if (isSingle) this.send('submitted')
    else this.turn(1)
  }
  private rank(rank: number): void {
    const { question, options, answers, held } = this
    if (rank < 1 || rank > options.length) return
    const item = String(held.get(question.name) ?? this.preferred() ?? this.list()[0])
    const before = answers.ranks(question)
    answers.rank(question, item, rank)
    const after = options.slice(options.indexOf(item) + 1).concat(options.slice(0, options.indexOf(item) + 1))
    const ranks = { ...before, [item]: rank }
    held.set(question.name, after.find(one => ranks[one] === undefined) ?? item)
    this.focus = 'option'
    const isLast = before[item] === undefined && Object.keys(before).length === options.length - 1
    if (isLast) this.advance(question)
  }
  private step(by: 1 | -1): void {
    const { question, options, answers } = this
    if (this.focus !== 'option' || question.kind !== 'ranking') return
    const item = String(this.held.get(question.name))
    const rank = answers.ranks(question)[item]
    if (rank !== undefined) answers.rank(question, item, Math.min(options.length, Math.max(1, rank + by)))
    else answers.rank(question, item, by === -1 ? options.length : null)
  }
  private remove(): void {
    const { question, selection, spanQuestion } = this
    if (this.focus === 'option' && question.kind === 'ranking')
      this.answers.rank(question, String(this.held.get(question.name)), null)
    if (this.focus !== 'text' || !selection || !spanQuestion) return
    this.answers.unmark(spanQuestion, rangeOf(selection))
  }

  private read(): void {
    const { spanQuestion } = this
    if (!spanQuestion || this.focus === 'text') {
      this.focus = 'page'
      return
    }
    this.focus = 'text'
    this.at = this.plan.questions.indexOf(spanQuestion)
  }
  private select(step: 1 | -1, isExtending: boolean): void {
    const { selection } = this
    const head = selection ? selection.head + step : step === 1 ? this.from : this.from - 1
    if (head < 0 || head >= this.words) return
    this.selection = { anchor: isExtending && selection ? selection.anchor : head, head }
  }
  /** Marks the selection, or makes this the label of the next one. */
  private pickSpan(question: Asked, label: string): void {
    const { selection, hand } = this
    if (selection) this.answers.mark(question, { label, ...rangeOf(selection) })
    else hand.armed = hand.armed === label ? null : label
  }

  private escape(): void {
    if (this.focus !== 'text') this.focus = 'page'
    else if (this.selection) {
      this.from = rangeOf(this.selection).from
      this.selection = null
    } else if (this.hand.armed !== null) this.hand.armed = null
    else this.focus = 'page'
  }

  private edit(): void {
    this.focus = 'editor'
  }
  private write(key: string): void {
    const { question, answers } = this
    const text = (answers.chosen(question) as string | undefined) ?? ''
    if (key === 'Escape') this.focus = 'box'
    else if (key in SENDING) this.send(SENDING[key] as Outcome)
    else {
      const after = key === 'Backspace' ? text.slice(0, -1) : text + key
      answers.set(question, after === '' ? undefined : after, true)
    }
  }
}

const rangeOf = ({ anchor, head }: { anchor: number; head: number }) => ({
  from: Math.min(anchor, head),
  to: Math.max(anchor, head),
})
