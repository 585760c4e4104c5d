/** What each click or tap means to a person at the form. Steps are words: `option mood good`, `rank order b 2`, `submit`. */
import type { Draw } from '../../agreement/draw.ts'
import { AnswersModel, type Outcome } from './answers-model.ts'
import type { Hand } from './keys-model.ts'
import { type Asked, type FormPlan, wordsOf } from './plans.ts'

const ENDS: Record<string, Outcome> = { submit: 'submitted', draft: 'draft', discard: 'discarded' }
const LENGTH_MAX = 10

export class PointerModel {
  readonly answers: AnswersModel
  private readonly plan: FormPlan
  private readonly hand: Hand
  private selection: { from: number; to: number } | null = null

  constructor(plan: FormPlan, at: number, hand: Hand) {
    this.plan = plan
    this.hand = hand
    this.answers = new AnswersModel(plan, at)
  }

  private find = (name: string | undefined) => this.plan.questions.find(one => one.name === name) as Asked
  private get spanQuestion() {
    return this.plan.questions.find(({ kind }) => kind === 'span') as Asked
  }

  /** False for buttons that are not there. */
  offers(step: string): boolean {
    const { answers } = this
    if (answers.outcome !== null) return false
    const [what, name, one = '', other] = step.split(' ')
    const question = this.find(name)
    if (other === 'none') return answers.ranks(question)[one] !== undefined
    if (what === 'clear') return answers.chosen(question) !== undefined
    if (what === 'nothing') return answers.spans(question).length === 0
    if (what !== 'take') return true
    const suggestion = answers.suggestion(question)
    const isSame = JSON.stringify(suggestion) === JSON.stringify(answers.chosen(question))
    return suggestion !== undefined && (!isSame || answers.isPencil(question))
  }

  apply(step: string): void {
    const { answers } = this
    const [what = '', name, one = '', other = ''] = step.split(' ')
    const question = this.find(name)
    const acts: Record<string, () => void> = {
      option: () => this.pick(question, question.kind === 'rating' ? Number(one) : one),
      clear: () => answers.set(question, undefined),
      take: () => answers.take(question),
      nothing: () => answers.nothing(question),
      rank: () => answers.rank(question, one, other === 'none' ? null : Number(other)),
      label: () => this.label(question, one),
      select: () => this.select(Number(name), Number(one)),
      type: () => answers.set(question, `${(answers.chosen(question) as string | undefined) ?? ''}${one}`),
    }
    if (what in ENDS) this.send(ENDS[what] as Outcome)
    else acts[what]?.()
  }
  private send(outcome: Outcome): void {
    if (outcome !== 'submitted' || this.answers.gap() === undefined) this.answers.outcome = outcome
  }
  private pick(question: Asked, option: string | number): void {
    const isAnswered = this.answers.pick(question, option)
    if (isAnswered && this.plan.questions.length === 1) this.send('submitted')
  }
  private label(question: Asked, label: string): void {
    const { selection, hand } = this
    if (selection) this.answers.mark(question, { label, ...selection })
    else hand.armed = hand.armed === label ? null : label
    this.selection = null
  }
  private select(from: number, to: number): void {
    const { armed } = this.hand
    if (armed === null) this.selection = { from, to }
    else this.answers.mark(this.spanQuestion, { label: armed, from, to })
  }
}

function drawStep(draw: Draw, { questions }: FormPlan, at: number): string {
  const { name, kind, options } = draw.pick(questions)
  if (draw.chance(0.15)) return `${draw.pick(['clear', 'take'])} ${name}`
  if (kind === 'text') return `type ${name} ${draw.pick(['ab', 'cd'])}`
  if (kind === 'ranking') return `rank ${name} ${draw.pick(options)} ${draw.pick([...options.map((_, i) => i + 1), 'none'])}`
  if (kind !== 'span') return `option ${name} ${draw.pick(options)}`
  if (draw.chance(0.2)) return `nothing ${name}`
  if (draw.chance(0.5)) return `label ${name} ${draw.pick(options)}`
  const from = draw.below(wordsOf(at).length)
  return `select ${from} ${Math.min(wordsOf(at).length - 1, from + draw.below(2))}`
}

export function drawSteps(draw: Draw, plan: FormPlan, at: number): string[] {
  const steps = Array.from({ length: 1 + draw.below(LENGTH_MAX) }, () => drawStep(draw, plan, at))
  return [...steps, ...draw.pick([['submit'], ['submit'], ['submit'], ['discard'], ['draft'], []])]
}

/** What the person has chosen by these steps. Steps on buttons that are not there are left out. */
export function followSteps(plan: FormPlan, at: number, hand: Hand, steps: readonly string[]) {
  const model = new PointerModel(plan, at, hand)
  const pressed: string[] = []
  for (const step of steps) {
    if (!model.offers(step)) continue
    // A finger confirms a selection that gets a label at once.
    pressed.push(step.startsWith('select') && hand.armed !== null ? `${step} ${hand.armed}` : step)
    model.apply(step)
  }
  const outcome: Outcome = model.answers.outcome ?? 'left'
  model.answers.outcome = outcome
  if (outcome === 'left' || outcome === 'draft') pressed.push('next')
  return { answers: model.answers, pressed, outcome }
}
