/**
 * A response is one user's answers to a record, by question name.
 *
 * It comes in at four places that differ in when `values` may be missing; missing and null are stored as no answers, `{}`,
 * because existing clients cannot read null.
 */
import { checkAt, invalid } from './errors.ts'
import { listed, own, quoted } from './own.ts'
import { ResponseAnswerValue } from './questions/answer-value.ts'
import type { RecordRules } from './record-rules.ts'
import type { RecordFields } from './records.ts'
import { AnyJson, Dictionary, Id, List, Nullable, OneOf, Optional, Shape, type Static, Tagged, Timestamps } from './schema.ts'

export const RESPONSE_STATUSES = ['draft', 'submitted', 'discarded'] as const
export type ResponseStatus = (typeof RESPONSE_STATUSES)[number]

const GivenValues = Dictionary(Shape({ value: ResponseAnswerValue }), { 'x-key-length': [1, 200] })
const PerhapsValues = Optional(Nullable(GivenValues))

/** Answers by question name. Read with `own`. */
const ResponseValues = Dictionary(Shape({ value: AnyJson }))
export type ResponseValues = Static<typeof ResponseValues>

export const RecordResponse = Shape({
  id: Id,
  values: ResponseValues,
  status: OneOf(RESPONSE_STATUSES),
  record_id: Id,
  user_id: Id,
  ...Timestamps,
})
export type RecordResponse = Static<typeof RecordResponse>

const submitted = { status: OneOf(['submitted']), values: GivenValues }
const draft = { status: OneOf(['draft']), values: PerhapsValues }
const discarded = { status: OneOf(['discarded']), values: PerhapsValues }

/** `POST /records/{id}/responses`. */
export const ResponseCreate = Shape({ values: PerhapsValues, status: OneOf(RESPONSE_STATUSES) })
export type ResponseCreate = Static<typeof ResponseCreate>

/** `PUT /responses/{id}`. */
export const ResponseUpdate = Tagged('status', {
  submitted: Shape(submitted),
  draft: Shape(draft),
  discarded: Shape(discarded),
})
export type ResponseUpdate = Static<typeof ResponseUpdate>

const record_id = Id

const ResponseUpsert = Tagged('status', {
  submitted: Shape({ ...submitted, record_id }),
  draft: Shape({ ...draft, record_id }),
  discarded: Shape({ ...discarded, record_id }),
})
export type ResponseUpsert = Static<typeof ResponseUpsert>

/** `POST /me/responses/bulk`. */
export const ResponsesBulkUpsert = Shape({ items: List(ResponseUpsert, { minItems: 1, maxItems: 100 }) })
export type ResponsesBulkUpsert = Static<typeof ResponsesBulkUpsert>

/** Its answer: for each item the response, or why there is none. */
export const ResponsesBulk = Shape({
  items: List(Shape({ item: Nullable(RecordResponse), error: Nullable(Shape({ detail: AnyJson })) })),
})
export type ResponsesBulk = Static<typeof ResponsesBulk>

const user_id = Id

const ResponseOfUser = Tagged('status', {
  submitted: Shape({ user_id, ...submitted }),
  draft: Shape({ user_id, ...draft, values: GivenValues }),
  discarded: Shape({ user_id, ...discarded }),
})
export type ResponseOfUser = Static<typeof ResponseOfUser>

/** Inside records: responses on behalf of users. */
export const ResponsesOfUsers = List(ResponseOfUser, { 'x-check': sameUserProblem })

function sameUserProblem(responses: readonly { user_id: Id }[]): string | null {
  const seen = new Set<Id>()
  for (const { user_id } of responses) {
    if (seen.has(user_id)) return `User \`${user_id}\` has more than one response`
    seen.add(user_id)
  }
  return null
}

interface GivenResponse {
  status: ResponseStatus
  values?: ResponseValues | null | undefined
}

/** Answers as they are stored. */
export const toResponseValues = ({ values }: GivenResponse): ResponseValues => values ?? {}

/** A response against the dataset's questions and the fields the record will have. */
export function checkResponse(response: GivenResponse, rules: RecordRules, fields: RecordFields): void {
  const values = toResponseValues(response)
  if (response.status === 'submitted') checkAnswered(values, rules)
  const unknown = Object.keys(values).filter(name => !rules.questions.has(name))
  if (unknown.length > 0) {
    const names = listed(Array.from(rules.questions.keys(), quoted))
    throw invalid(`Not questions of this dataset: ${listed(unknown.map(quoted))}. Questions: ${names}`, ['values'])
  }
  for (const question of rules.questions.values()) {
    const answer = own(values, question.name)
    if (answer === undefined) continue
    const context = { fields, status: response.status }
    checkAt(['values', question.name, 'value'], () => question.type.checkValue(answer.value, question, context))
  }
}

function checkAnswered(values: ResponseValues, { questions }: RecordRules): void {
  if (Object.keys(values).length === 0) throw invalid('A submitted response needs `values`', ['values'])
  const missing: string[] = []
  for (const { name, required } of questions.values()) if (required && !Object.hasOwn(values, name)) missing.push(quoted(name))
  if (missing.length > 0)
    throw invalid(`A submitted response answers all required questions. Missing: ${listed(missing)}`, ['values'])
}
