/**
 * A response is one user's answers to a record, by question name.
 *
 * Four routes accept responses and differ in whether `values` may be missing. Missing values and null are stored as `{}`, because
 * existing clients cannot read null.
 */
import { checkAt, DomainError, invalid } from './errors.ts'
import { ITEM_ERROR } from './item-error.ts'
import { listed, quoted } from './message-values.ts'
import { ownProperty } from './own-property.ts'
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

const RequiredValues = Dictionary(Shape({ value: ResponseAnswerValue }), { 'x-key-length': [1, 200] })
export const OptionalValues = Optional(Nullable(RequiredValues))

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

const submitted = { status: OneOf(['submitted']), values: RequiredValues }
const draft = { status: OneOf(['draft']), values: OptionalValues }
const discarded = { status: OneOf(['discarded']), values: OptionalValues }

/** `POST /records/{id}/responses`. */
export const ResponseCreate = Shape({ values: OptionalValues, status: OneOf(RESPONSE_STATUSES) })
export type ResponseCreate = Static<typeof ResponseCreate>

/** `PUT /responses/{id}`. */
export const ResponseUpdate = Tagged('status', {
  submitted: Shape(submitted),
  draft: Shape(draft),
  discarded: Shape(discarded),
})
export type ResponseUpdate = Static<typeof ResponseUpdate>

/** A timestamp in the API's format. */
export const IfUpdatedAt = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z?$' })

const target = {
  record_id: Id,
  /** Idempotency key: a repeated write has no effect. */
  write_id: Optional(Nullable(Id)),
  /** Precondition: the `updated_at` of the stored response; null if there must not be a response. */
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

/** Response to a bulk write: for each item the stored response or the error. */
export const ResponsesBulk = Shape({
  items: List(Shape({ item: Nullable(RecordResponse), error: Nullable(Shape({ detail: AnyJson, ...ITEM_ERROR })) })),
})
export type ResponsesBulk = Static<typeof ResponsesBulk>

/** State of a response before it was replaced or deleted. A null status means that there was no response. */
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

/** One user's response to a record, and what it was before, newest first. */
export const ResponseOfAuthor = Shape({
  user: Shape({ id: Id, username: Text(), first_name: Text(), last_name: Nullable(Text()) }),
  /** Null if the user has not responded, or the response was deleted. */
  response: Nullable(RecordResponse),
  history: List(ResponseVersion),
})
export type ResponseOfAuthor = Static<typeof ResponseOfAuthor>

export const VERSIONS_MAX = 50
/** Number of earlier draft writes whose ids are stored, to recognize late retries. */
export const EARLIER_WRITES_MAX = 32
export const RECENT_MAX = 50

/** A record that the caller answered recently. */
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
  draft: Shape({ user_id, ...draft, values: RequiredValues }),
  discarded: Shape({ user_id, ...discarded }),
})
export type ResponseOfUser = Static<typeof ResponseOfUser>

/** Responses on behalf of users, inside records. */
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

/** Converts answers to their stored form. */
export const toResponseValues = ({ values }: GivenResponse): ResponseValues => values ?? {}

/** Checks a response against the dataset's questions and the record's fields after the write. */
export function checkResponse(response: GivenResponse, rules: RecordRules, fields: RecordFields): void {
  const values = toResponseValues(response)
  if (response.status === 'submitted') checkAnswered(values, rules)
  const unknown = Object.keys(values).filter(name => !rules.questions.has(name))
  if (unknown.length > 0) {
    const names = listed(Array.from(rules.questions.keys(), quoted))
    throw invalid(`Not questions of this dataset: ${listed(unknown.map(quoted))}. Questions: ${names}`, ['values'])
  }
  for (const question of rules.questions.values()) {
    const answer = ownProperty(values, question.name)
    if (answer === undefined) continue
    const context = { fields, status: response.status }
    checkAt(['values', question.name, 'value'], () => question.type.checkValue(answer.value, question, context))
  }
}

function checkAnswered(values: ResponseValues, { questions }: RecordRules): void {
  if (Object.keys(values).length === 0) throw invalid('A submitted response needs `values`', ['values'])
  const missing: string[] = []
  for (const { name, required } of questions.values()) if (required && !Object.hasOwn(values, name)) missing.push(name)
  if (missing.length === 0) return
  const at = ['values', ...(missing.length === 1 ? missing : [])]
  throw invalid(`A submitted response answers all required questions. Missing: ${listed(missing.map(quoted))}`, at)
}

/** The stored response is not the one that the caller read. */
export class ResponseConflict extends DomainError {
  readonly current: RecordResponse | null

  constructor(message: string, current: RecordResponse | null) {
    super('conflict', message)
    this.current = current
  }
}

/**
 * Throws unless the response is unchanged since `ifUpdatedAt`. Undefined means no precondition, null that there must not be a
 * response.
 */
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

/** Pads fractions to six digits, because some clients shorten them. */
function toMicroseconds(time: string): string {
  const [seconds = '', fraction = ''] = time.replace('Z', '').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}`
}

/**
 * True if the replaced response is stored as a version. Drafts that replace drafts are not, so only the last state of a draft is
 * stored.
 */
export const isVersionStored = (before: { status: string }, after: { status: string } | null): boolean =>
  before.status !== 'draft' || after?.status !== 'draft'
