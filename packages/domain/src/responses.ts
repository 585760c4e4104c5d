/**
 * A response is one user's answers to a record, by question name.
 *
 * It comes in at four places that differ in when `values` may be missing; missing and null are stored as no answers, `{}`,
 * because existing clients cannot read null.
 */
import { checkAt, DomainError, invalid } from './errors.ts'
import { listed, own, quoted } from './own.ts'
import { ResponseAnswerValue } from './questions/answer-value.ts'
import type { RecordRules } from './record-rules.ts'
import type { RecordFields } from './records.ts'
import {
  AnyJson,
  Dictionary,
  Id,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Tagged,
  Text,
  Timestamp,
  Timestamps,
  Type,
} from './schema.ts'

export const RESPONSE_STATUSES = ['draft', 'submitted', 'discarded'] as const
export type ResponseStatus = (typeof RESPONSE_STATUSES)[number]

const GivenValues = Dictionary(Shape({ value: ResponseAnswerValue }), { 'x-key-length': [1, 200] })
export const PerhapsValues = Optional(Nullable(GivenValues))

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

/** A time as the API prints it. */
export const IfUpdatedAt = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z?$' })

const target = {
  record_id: Id,
  /** Made by the client for this write: sent again, it changes nothing. */
  write_id: Optional(Nullable(Id)),
  /** Only if my response is still the one of this time; null: only if there is none. */
  if_updated_at: Optional(Nullable(IfUpdatedAt)),
}

const ResponseUpsert = Tagged('status', {
  submitted: Shape({ ...submitted, ...target }),
  draft: Shape({ ...draft, ...target }),
  discarded: Shape({ ...discarded, ...target }),
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

/** What a response was before it was replaced or deleted; a null status: there was none. */
export const ResponseVersion = Shape({
  response_id: Id,
  record_id: Id,
  user_id: Id,
  status: Nullable(OneOf(RESPONSE_STATUSES)),
  values: Nullable(ResponseValues),
  inserted_at: Nullable(Timestamp),
  updated_at: Nullable(Timestamp),
  replaced_at: Timestamp,
  /** The bulk job that replaced it. */
  job_id: Nullable(Id),
})
export type ResponseVersion = Static<typeof ResponseVersion>

export const VERSIONS_MAX = 50
/** So many writes of drafts that drafts replaced are remembered, to recognize their late retries. */
export const EARLIER_WRITES_MAX = 32
export const RECENT_MAX = 50

/** A record that the caller answered not long ago. */
export const RecentResponse = Shape({
  record_id: Id,
  external_id: Nullable(Text()),
  response_id: Id,
  status: OneOf(RESPONSE_STATUSES),
  values: ResponseValues,
  updated_at: Timestamp,
})
export type RecentResponse = Static<typeof RecentResponse>

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

/** The response is not the one that the caller has read. */
export class ResponseConflict extends DomainError {
  readonly current: RecordResponse | null

  constructor(message: string, current: RecordResponse | null) {
    super('conflict', message)
    this.current = current
  }
}

/** Lets pass what was written against the response as it is; undefined is no condition, null: that there is none. */
export function checkUnchanged(ifUpdatedAt: string | null | undefined, current: RecordResponse | null): void {
  if (ifUpdatedAt === undefined) return
  if (ifUpdatedAt === null) {
    if (current !== null) throw new ResponseConflict('There is a response already, where `if_updated_at` says none', current)
    return
  }
  if (current === null) throw new ResponseConflict('The response that `if_updated_at` means was deleted', null)
  if (toMicroseconds(ifUpdatedAt) !== toMicroseconds(current.updated_at)) {
    const times = `it is of ${current.updated_at}, \`if_updated_at\` is ${ifUpdatedAt}`
    throw new ResponseConflict(`The response was changed since it was read: ${times}`, current)
  }
}

/** Six digits after the point, which some writers of times shorten. */
function toMicroseconds(time: string): string {
  const [seconds = '', fraction = ''] = time.replace('Z', '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}`
}

/** Whether what is replaced is kept: of a draft that grows step by step, only the last state counts. */
export const isVersionKept = (before: { status: string }, after: { status: string } | null): boolean =>
  before.status !== 'draft' || after?.status !== 'draft'
