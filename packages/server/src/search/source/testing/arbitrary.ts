/** Random records and answers for the dataset of dataset.ts. */
import type { RecordCreate } from '@postil/domain/records'
import type { ResponseCreate } from '@postil/domain/responses'
import type { Id, Json } from '@postil/domain/schema'
import type { SuggestionCreate } from '@postil/domain/suggestions'
import fc from 'fast-check'

const option = fc.constantFrom('a', 'b', 'c')
const BODY = 'green apple pie'

/** By question name. */
const answers = {
  label: option,
  labels: fc.uniqueArray(option, { minLength: 1 }),
  stars: fc.constantFrom(1, 2, 3),
  order: fc
    .shuffledSubarray(['a', 'b', 'c'], { minLength: 3 })
    .map(values => values.map((value, index) => ({ value, rank: index + 1 }))),
  note: fc.constantFrom('fine', ' ', 'so "so"'),
  spots: option.map(label => [{ label, start: 0, end: 5 }]),
}
type Answers = { [name in keyof typeof answers]?: unknown }

export interface Draw {
  fields: { [name: string]: Json }
  metadata: { [name: string]: Json } | null
  suggested: Answers
  responses: { user: number; given: Pick<ResponseCreate, 'status' | 'values'> }[]
}

/** One of these. */
const oneOf = (...values: Json[]): fc.Arbitrary<Json> => fc.nat(values.length - 1).map(index => values[index] as Json)

/** Objects with some of these names. Not literals, in which `__proto__` is not a name like others. */
const someOf = (all: [name: string, value: fc.Arbitrary<Json>][]): fc.Arbitrary<{ [name: string]: Json }> =>
  fc
    .tuple(fc.subarray(all.map(([name]) => name)), fc.tuple(...all.map(([, value]) => value)))
    .map(([names, values]) =>
      Object.fromEntries(all.map(([name], i) => [name, values[i] as Json] as const).filter(([name]) => names.includes(name))),
    )

export const someFields = fc
  .tuple(
    oneOf(BODY, `${BODY} and more`),
    someOf([
      ['talk', oneOf([{ role: 'user', content: 'hello' }], [])],
      ['page', oneOf({ title: 'A', rows: [1, 'b'] }, { title: 'B' })],
      ['picture', oneOf('https://example.com/a.png', null)],
    ]),
  )
  .map(([body, others]) => ({ body, ...others }))

/** `later` is extra metadata, for which a property may be added that accepts some of its values. */
export const someMetadata = fc.option(
  someOf([
    ['source', oneOf('web', 'Ünï, "q"', ['a', 'b', 'a'], [], null)],
    ['count', oneOf(0, 9, -(2 ** 53 - 1))],
    ['weight "x"\\', oneOf(0.1, 2, -1e-60)],
    ['__proto__', oneOf('web', 'mail')],
    ['later', oneOf('web', 3, 1.5, ['a', 1], { a: 1 }, null)],
  ]),
)

export const someAnswers: fc.Arbitrary<Answers> = fc.record(answers, { requiredKeys: [] })

export const aResponse: fc.Arbitrary<Pick<ResponseCreate, 'status' | 'values'>> = fc
  .tuple(fc.constantFrom('submitted', 'draft', 'discarded'), fc.record(answers, { requiredKeys: ['label'] }))
  .map(([status, given]) => ({ status, values: toValues(given) }) as Pick<ResponseCreate, 'status' | 'values'>)

const toValues = (given: Answers) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]))

export const aRecord: fc.Arbitrary<Draw> = fc.record({
  fields: someFields,
  metadata: someMetadata,
  suggested: someAnswers,
  responses: fc.uniqueArray(fc.record({ user: fc.nat(1), given: aResponse }), { selector: ({ user }) => user, maxLength: 2 }),
})

export function toSuggestions(suggested: Answers, questionIds: ReadonlyMap<string, Id>): SuggestionCreate[] {
  return Object.entries(suggested).map(([name, value], index) => ({
    question_id: questionIds.get(name) ?? '',
    value: value as SuggestionCreate['value'],
    ...(Array.isArray(value) ? { score: value.map(() => 0.25) } : { score: index === 0 ? null : 0.5 }),
    agent: index % 2 === 0 ? 'm "1"' : null,
    type: index % 3 === 0 ? ('model' as const) : null,
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
