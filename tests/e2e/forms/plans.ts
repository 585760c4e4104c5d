/** Random datasets for the tests of the form: questions of each type, required or not, and records with suggestions. */
import type { QuestionCreate } from '@postil/domain/questions'
import type { Draw } from '../../agreement/draw.ts'
import { multiLabel, ranking, rating, span, text } from '../question-plans.ts'
import { label, seed, type World } from '../seed.ts'

export type Kind = 'label' | 'labels' | 'rating' | 'ranking' | 'span' | 'text'

export interface Asked {
  name: string
  kind: Kind
  required: boolean
  /** Labels or items; empty for texts. Ratings as numbers. */
  options: (string | number)[]
}

export interface Span {
  label: string
  /** Indexes of the first and the last word. */
  from: number
  to: number
}

/** Ranks by item, sets of labels, spans by words. */
export type Value = string | number | string[] | Record<string, number> | Span[]

export interface FormPlan {
  mode: 'prefill' | 'show' | 'hide'
  questions: Asked[]
  /** Of each record: suggestions by the name of the question. */
  suggestions: Record<string, Value>[]
}

const WORDS = ['Ada', 'met', 'Bob', 'today']
export const wordsOf = (at: number) => [`r${at}x`, ...WORDS]
export const textOf = (at: number) => wordsOf(at).join(' ')

const KINDS: Kind[] = ['label', 'labels', 'rating', 'ranking', 'span', 'text']

export function drawPlan(draw: Draw, records: number): FormPlan {
  const kinds = Array.from({ length: 1 + draw.below(4) }, () => draw.pick(KINDS))
  // A field has one span question.
  const kept = kinds.filter((kind, at) => kind !== 'span' || kinds.indexOf(kind) === at)
  const questions = kept.map((kind, at) => ({
    name: `${kind}${at}`,
    kind,
    required: draw.chance(0.6),
    options: drawOptions(draw, kind),
  }))
  const must = draw.pick(questions)
  must.required = true
  const suggestionsOf = () =>
    Object.fromEntries(questions.filter(() => draw.chance(0.5)).map(question => [question.name, drawSuggestion(draw, question)]))
  return {
    mode: draw.pick(['prefill', 'show', 'hide']),
    questions,
    suggestions: Array.from({ length: records }, suggestionsOf),
  }
}

function drawOptions(draw: Draw, kind: Kind): Asked['options'] {
  if (kind === 'text') return []
  if (kind === 'rating')
    return draw.pick([
      [1, 2, 3],
      [0, 1, 2, 3, 4],
    ])
  return ['a', 'b', 'c', 'd'].slice(0, 2 + draw.below(kind === 'ranking' ? 2 : 3))
}

function drawSuggestion(draw: Draw, { kind, options }: Asked): Value {
  const values = options as string[]
  if (kind === 'text') return draw.pick(['Suggested', 'Two words'])
  if (kind === 'labels') return draw.some(values, 1, values.length)
  if (kind === 'ranking') return Object.fromEntries(values.map(value => [value, 1 + draw.below(values.length)]))
  if (kind === 'span') {
    const from = draw.below(WORDS.length)
    return [{ label: draw.pick(values), from, to: Math.min(WORDS.length, from + draw.below(2)) }]
  }
  return draw.pick(options)
}

const toQuestion = ({ name, kind, required, options }: Asked): QuestionCreate => {
  const values = options as string[]
  const made = {
    label: () => label(name, values),
    labels: () => multiLabel(name, values),
    rating: () => rating(name, options as number[]),
    ranking: () => ranking(name, values),
    span: () => span(name, values),
    text: () => text(name),
  }[kind]()
  return { ...made, required }
}

/** Value in the API's form. */
export function toStored(value: Value, kind: Kind, at: number): unknown {
  if (kind === 'ranking') return Object.entries(value).map(([item, rank]) => ({ value: item, rank }))
  if (kind !== 'span') return value
  const words = wordsOf(at)
  const start = (word: number) => words.slice(0, word).reduce((sum, one) => sum + one.length + 1, 0)
  return (value as Span[]).map(({ label, from, to }) => ({
    label,
    start: start(from),
    end: start(to) + (words[to]?.length ?? 0),
  }))
}

/** Creates the dataset. A last record without a sequence follows, so that each one is left for another. */
export async function seedPlan(world: World, name: string, { mode, questions, suggestions }: FormPlan): Promise<string> {
  const id = await seed(world, { name, questions: questions.map(toQuestion), options: { suggestions: mode }, records: [] })
  const { items } = await world.owner.listQuestions({ params: { dataset_id: id } })
  const idOf = (wanted: string) => items.find(one => one.name === wanted)?.id ?? ''
  const records = [...suggestions, {}].map((given, at) => ({
    fields: { text: textOf(at) },
    suggestions: questions.flatMap(({ name, kind }) => {
      const value = (given as Record<string, Value>)[name]
      return value === undefined ? [] : [{ question_id: idOf(name), value: toStored(value, kind, at), agent: 'model-7' }]
    }),
  }))
  const body = { items: records } as Parameters<World['owner']['createRecordsBulk']>[0]['body']
  await world.owner.createRecordsBulk({ params: { dataset_id: id }, body })
  return id
}
