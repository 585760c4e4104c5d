/** Random records and answers for the dataset of dataset.ts. */
import type { RecordCreate } from '@postil/domain/records'
import type { ResponseCreate } from '@postil/domain/responses'
import type { Id, Json } from '@postil/domain/schema'
import { SUGGESTION_TYPES, type SuggestionCreate, type SuggestionType } from '@postil/domain/suggestions'
import fc from 'fast-check'
import { LABELS } from './dataset.ts'

// Only a few words, so that queries match texts, and fewer than a fuzzy word can expand to.
export const WORDS = ['green', 'greet', 'apple', 'Äpple', 'fox', 'co-op', '東京', '京', 'x_y', "don't"]

/** At least five characters long, because the spans need them. */
const aText = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map(words => words.join(' ').padEnd(5))
const label = fc.constantFrom(...LABELS)

/** Answers by question name. */
const answers = {
  label,
  labels: fc.uniqueArray(label, { minLength: 1, maxLength: 3 }),
  stars: fc.constantFrom(1, 2, 3),
  order: fc
    .shuffledSubarray(LABELS, { minLength: LABELS.length })
    .map(values => values.map((value, index) => ({ value, rank: index + 1 }))),
  note: fc.constantFrom('fine', ' ', 'so "so"'),
  spots: label.map(label => [{ label, start: 0, end: 5 }]),
}
type Answers = { [name in keyof typeof answers]?: unknown }

interface Suggested {
  value: unknown
  /** One score for each of the maximum number of values. */
  scores: number[] | null
  agent: string | null
  type: SuggestionType | null
}

export interface Draw {
  fields: { [name: string]: Json }
  metadata: { [name: string]: Json } | null
  suggested: { [name: string]: Suggested }
  responses: { user: number; given: Pick<ResponseCreate, 'status' | 'values'> }[]
}

const oneOf = (...values: Json[]): fc.Arbitrary<Json> => fc.nat(values.length - 1).map(index => values[index] as Json)

/**
 * Objects with some of these names. Uses `Object.fromEntries`, because `__proto__` is not an ordinary name in object literals.
 */
const someOf = <T>(all: [name: string, value: fc.Arbitrary<T>][]): fc.Arbitrary<{ [name: string]: T }> =>
  fc
    .tuple(fc.subarray(all.map(([name]) => name)), fc.tuple(...all.map(([, value]) => value)))
    .map(([names, values]) =>
      Object.fromEntries(all.map(([name], i) => [name, values[i] as T] as const).filter(([name]) => names.includes(name))),
    )

const someMessages = fc
  .array(fc.record({ role: fc.constantFrom('user', 'fox'), content: aText }), { maxLength: 2 })
  .map((messages): Json => messages)
const aPage = fc
  .record({ title: aText, rows: fc.array(fc.oneof(aText, fc.nat(12)), { maxLength: 2 }) }, { requiredKeys: [] })
  .map((page): Json => page)

export const someFields = fc
  .tuple(
    aText,
    someOf([
      ['talk', someMessages],
      ['page', aPage],
      ['picture', oneOf('https://example.com/a.png', null)],
    ]),
  )
  .map(([body, others]) => ({ body, ...others }))

/** `later` is extra metadata. A property that accepts only some of its values may be added for it. */
export const someMetadata = fc.option(
  someOf([
    ['source', oneOf('web', 'Ünï, "q"', ['a', 'b', 'a'], [...LABELS], LABELS.slice(2, 4), [], null)],
    ['count', oneOf(-1, 0, 3, 7, 9, -(2 ** 53 - 1))],
    ['weight "x"\\', oneOf(0.1, 0.5, 2, -1e-60)],
    ['__proto__', oneOf('web', 'mail')],
    ['later', oneOf('web', 3, 1.5, ['a', 1], { a: 1 }, null)],
  ]),
)

const suggestedWith = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Suggested> =>
  fc.record({
    value,
    scores: fc.option(
      fc.array(fc.constantFrom(0, 0.25, 0.5, 0.51, 1), { minLength: LABELS.length, maxLength: LABELS.length, size: 'max' }),
    ),
    agent: fc.option(fc.constantFrom('m "1"', ...LABELS)),
    type: fc.option(fc.constantFrom(...SUGGESTION_TYPES)),
  })

/** Suggestions by question name. */
export const someSuggestions: fc.Arbitrary<Draw['suggested']> = someOf(
  Object.entries(answers).map(([name, value]) => [name, suggestedWith(value)]),
)

export const aResponse: fc.Arbitrary<Pick<ResponseCreate, 'status' | 'values'>> = fc
  .tuple(fc.constantFrom('submitted', 'draft', 'discarded'), fc.record(answers, { requiredKeys: ['label'] }))
  .map(([status, given]) => ({ status, values: toValues(given) }) as Pick<ResponseCreate, 'status' | 'values'>)

const toValues = (given: Answers) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]))

export const aRecord: fc.Arbitrary<Draw> = fc.record({
  fields: someFields,
  metadata: someMetadata,
  suggested: someSuggestions,
  responses: fc.uniqueArray(fc.record({ user: fc.nat(1), given: aResponse }), { selector: ({ user }) => user, maxLength: 2 }),
})

export function toSuggestions(suggested: Draw['suggested'], questionIds: ReadonlyMap<string, Id>): SuggestionCreate[] {
  return Object.entries(suggested).map(([name, { value, scores, agent, type }]) => ({
    question_id: questionIds.get(name) ?? '',
    value: value as SuggestionCreate['value'],
    score: scores === null ? null : Array.isArray(value) ? scores.slice(0, value.length) : (scores[0] ?? null),
    agent,
    type,
  }))
}

export function toRecord(draw: Draw, questionIds: ReadonlyMap<string, Id>, userIds: readonly Id[]): RecordCreate {
  return {
    fields: draw.fields,
    metadata: draw.metadata,
    suggestions: toSuggestions(draw.suggested, questionIds),
    responses: draw.responses.map(({ user, given }) => ({ ...given, user_id: userIds[user] ?? '' })),
  } as RecordCreate
}
