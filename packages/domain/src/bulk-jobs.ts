/**
 * One response to many records, given by a background job: which records, what happens to each, and the progress.
 *
 * Records are selected when the job is requested, so that the job changes exactly the records that the user confirmed. Each is
 * checked when it is processed, by the rules of single responses.
 */
import { type DomainError, invalid } from './errors.ts'
import { ITEM_ERROR, toItemError } from './item-error.ts'
import { JOB_STATUSES } from './jobs.ts'
import { listed, quoted } from './message-values.ts'
import type { RecordRules } from './record-rules.ts'
import { OptionalValues, RESPONSE_STATUSES, type ResponseStatus, type ResponseValues } from './responses.ts'
import {
  Bool,
  Float,
  Id,
  Int,
  type Json,
  List,
  Nullable,
  NullByDefault,
  OneOf,
  Optional,
  Shape,
  type Static,
  Tagged,
  Text,
  Timestamp,
  Words,
} from './schema.ts'
import { SearchBody } from './search/query.ts'

const status = OneOf(RESPONSE_STATUSES)

const AcceptedQuestion = Shape({
  name: Text(1, 200),
  /** If a suggestion has a list of scores, the lowest counts. Null also accepts suggestions without a score. */
  min_score: NullByDefault(Float({ minimum: 0, maximum: 1 })),
})

const BulkAction = Tagged('type', {
  respond: Shape({ type: Words(['respond']), status, values: OptionalValues }),
  accept_suggestions: Shape({
    type: Words(['accept_suggestions']),
    questions: List(AcceptedQuestion, { minItems: 1, maxItems: 100 }),
    status,
  }),
  return_to_pending: Shape({ type: Words(['return_to_pending']) }),
})
export type BulkAction = Static<typeof BulkAction>

const EXCEPTIONS_MAX = 1000
const RECORD_IDS_MAX = 10_000

/** `POST /me/datasets/{id}/responses/by-filter`. */
export const BulkRequest = Shape(
  {
    /** The body of `POST /me/datasets/{id}/records/search`, and its parameter `response_status`. */
    query: Optional(Nullable(SearchBody)),
    response_status: Optional(Nullable(OneOf(['pending', ...RESPONSE_STATUSES]))),
    except_record_ids: Optional(List(Id, { maxItems: EXCEPTIONS_MAX })),
    /** Alternative to `query`. */
    record_ids: Optional(Nullable(List(Id, { minItems: 1, maxItems: RECORD_IDS_MAX }))),
    action: BulkAction,
    /** The number of records that the user confirmed. */
    expected_total: Int({ minimum: 1 }),
    /** If true, answers to questions that the action does not answer are unchanged. */
    merge: Optional(Bool({ default: true })),
    /** Idempotency key: a repeated request returns the same job. */
    write_id: Optional(Nullable(Id)),
  },
  { 'x-check': checkRecordSelection },
)
export type BulkRequest = Static<typeof BulkRequest>

interface RecordSelection {
  query?: SearchBody | null
  response_status?: string | null
  except_record_ids?: Id[]
  record_ids?: Id[] | null
}

export function checkRecordSelection({
  query,
  response_status,
  except_record_ids = [],
  record_ids,
}: RecordSelection): string | null {
  if ((query == null) === (record_ids == null)) return 'exactly one of `query` and `record_ids` is needed'
  if (record_ids != null && (response_status != null || except_record_ids.length > 0))
    return '`response_status` and `except_record_ids` go with `query`, not with `record_ids`'
  // The result of a similarity search depends on the page size, so it is not a set that can be counted and confirmed.
  if (query?.query?.vector != null) return 'a similarity search ranks records; name the records in `record_ids` instead'
  return null
}

const BULK_JOB_TYPES = ['respond', 'accept_suggestions', 'return_to_pending', 'undo', 'delete_records'] as const
export type BulkJobType = (typeof BULK_JOB_TYPES)[number]

const summary = {
  id: Id,
  dataset_id: Id,
  type: OneOf(BULK_JOB_TYPES),
  /** Response status that the action sets; null if it sets none. */
  response_status: Nullable(OneOf(RESPONSE_STATUSES)),
  status: OneOf(JOB_STATUSES),
  total: Int(),
  done: Int(),
  failed: Int(),
  /** The job that this one undoes. */
  undoes: Nullable(Id),
  /** The job that undoes this one; `undone` is true after it has finished. */
  undone_by: Nullable(Id),
  undone: Bool(),
  inserted_at: Timestamp,
  finished_at: Nullable(Timestamp),
}

export const BulkJobSummary = Shape(summary)
export type BulkJobSummary = Static<typeof BulkJobSummary>

const BulkFailure = Shape({ record_id: Id, reason: Text(), ...ITEM_ERROR })
export type BulkFailure = Static<typeof BulkFailure>

export const toBulkFailure = (record_id: Id, error: DomainError): BulkFailure => ({
  record_id,
  reason: error.explanation,
  ...toItemError(error),
})

export const BulkJob = Shape({ ...summary, failures: List(BulkFailure) })
export type BulkJob = Static<typeof BulkJob>

/** Maximum number of stored failures. Further failures are only counted. */
export const FAILURES_MAX = 1000
export const BULK_JOBS_LISTED_MAX = 20

/** Limited because the answer is stored once per record. */
const ACTION_CHARACTERS_MAX = 20_000

/** Throws if the action is invalid for every record. */
export function checkBulkAction(action: BulkAction, merge: boolean, rules: RecordRules): void {
  const length = JSON.stringify(action).length
  if (length > ACTION_CHARACTERS_MAX)
    throw invalid(`An answer for many records may have ${ACTION_CHARACTERS_MAX} characters, this one has ${length}`, ['action'])
  const names = namesIn(action)
  const unknown = names.filter(name => !rules.questions.has(name))
  if (unknown.length > 0) {
    const known = listed(Array.from(rules.questions.keys(), quoted))
    const at = action.type === 'respond' ? 'values' : 'questions'
    throw invalid(`Not questions of this dataset: ${listed(unknown.map(quoted))}. Questions: ${known}`, ['action', at])
  }
  if (merge || !('status' in action) || action.status !== 'submitted') return
  const missing = [...rules.questions.values()].filter(({ name, required }) => required && !names.includes(name))
  if (missing.length > 0) {
    const text = listed(missing.map(({ name }) => quoted(name)))
    throw invalid(`A submitted response answers all required questions. Missing: ${text}`, ['action'])
  }
}

function namesIn(action: BulkAction): string[] {
  if (action.type === 'respond') return Object.keys(action.values ?? {})
  return action.type === 'accept_suggestions' ? action.questions.map(question => question.name) : []
}

export interface SuggestedAnswer {
  value: Json
  /** The lowest if there are several; null without a score. */
  score: number | null
}

interface AnsweredRecord {
  /** The user's current answers. */
  values: ResponseValues
  /** By question name. */
  suggestions: ReadonlyMap<string, SuggestedAnswer>
}

/** Returns the new response of the user to a record, not yet validated; null if there is none. */
export function toBulkResponse(
  action: BulkAction,
  merge: boolean,
  { values, suggestions }: AnsweredRecord,
): { status: ResponseStatus; values: ResponseValues } | null {
  if (action.type === 'return_to_pending') return null
  const given = action.type === 'respond' ? (action.values ?? {}) : acceptSuggestions(action.questions, suggestions)
  return { status: action.status, values: merge ? { ...values, ...given } : given }
}

function acceptSuggestions(
  questions: readonly Static<typeof AcceptedQuestion>[],
  suggestions: ReadonlyMap<string, SuggestedAnswer>,
): ResponseValues {
  const accepted = questions.flatMap(({ name, min_score: min = null }) => {
    const suggestion = suggestions.get(name)
    const isGood = suggestion !== undefined && (min === null || (suggestion.score !== null && suggestion.score >= min))
    return isGood ? [[name, { value: suggestion.value }] as const] : []
  })
  if (accepted.length === 0) throw invalid(`No suggestion to accept for: ${listed(questions.map(({ name }) => quoted(name)))}`)
  return Object.fromEntries(accepted)
}

/** Reason why an undo skips a record. */
export const CHANGED_SINCE = 'Changed since'

export const actionStatus = (action: BulkAction): ResponseStatus | null => ('status' in action ? action.status : null)
