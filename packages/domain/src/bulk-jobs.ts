/**
 * One answer for many records, given by a job: which records, what happens to each, and how far it is.
 *
 * Records are chosen when the job is asked for, so that what a person confirmed is what happens; each is judged when its
 * turn comes, by the rules of single responses.
 */
import { invalid } from './errors.ts'
import { JOB_STATUSES } from './jobs.ts'
import { listed, quoted } from './own.ts'
import type { RecordRules } from './record-rules.ts'
import { PerhapsValues, RESPONSE_STATUSES, type ResponseStatus, type ResponseValues } from './responses.ts'
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
  /** Of a list of scores the smallest counts; null takes suggestions without a score too. */
  min_score: NullByDefault(Float({ minimum: 0, maximum: 1 })),
})

const BulkAction = Tagged('type', {
  respond: Shape({ type: Words(['respond']), status, values: PerhapsValues }),
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
    /** Instead of a query. */
    record_ids: Optional(Nullable(List(Id, { minItems: 1, maxItems: RECORD_IDS_MAX }))),
    action: BulkAction,
    /** How many records the caller takes it to be. */
    expected_total: Int({ minimum: 1 }),
    /** Whether answers to questions that the action does not answer stay as they are. */
    merge: Optional(Bool({ default: true })),
    /** Made by the client for this request: sent again, it answers the same job. */
    write_id: Optional(Nullable(Id)),
  },
  { 'x-check': checkTargets },
)
export type BulkRequest = Static<typeof BulkRequest>

interface Targets {
  query?: SearchBody | null
  response_status?: string | null
  except_record_ids?: Id[]
  record_ids?: Id[] | null
}

export function checkTargets({ query, response_status, except_record_ids = [], record_ids }: Targets): string | null {
  if ((query == null) === (record_ids == null)) return 'exactly one of `query` and `record_ids` is needed'
  if (record_ids != null && (response_status != null || except_record_ids.length > 0))
    return '`response_status` and `except_record_ids` go with `query`, not with `record_ids`'
  // The nearest records are as many as a page asks for: no set that could be counted and confirmed.
  if (query?.query?.vector != null) return 'a similarity search ranks records; name the records in `record_ids` instead'
  return null
}

const BULK_JOB_TYPES = ['respond', 'accept_suggestions', 'return_to_pending', 'undo'] as const
export type BulkJobType = (typeof BULK_JOB_TYPES)[number]

const summary = {
  id: Id,
  dataset_id: Id,
  type: OneOf(BULK_JOB_TYPES),
  /** What the action sets; null where it sets none. */
  response_status: Nullable(OneOf(RESPONSE_STATUSES)),
  status: OneOf(JOB_STATUSES),
  total: Int(),
  done: Int(),
  failed: Int(),
  /** The job that this one undoes. */
  undoes: Nullable(Id),
  /** The job that undoes this one; `undone` says that it has finished. */
  undone_by: Nullable(Id),
  undone: Bool(),
  inserted_at: Timestamp,
  finished_at: Nullable(Timestamp),
}

export const BulkJobSummary = Shape(summary)
export type BulkJobSummary = Static<typeof BulkJobSummary>

const BulkFailure = Shape({ record_id: Id, reason: Text() })
export type BulkFailure = Static<typeof BulkFailure>

export const BulkJob = Shape({ ...summary, failures: List(BulkFailure) })
export type BulkJob = Static<typeof BulkJob>

/** Of more failures only the number is kept. */
export const FAILURES_MAX = 1000
export const BULK_JOBS_LISTED_MAX = 20

/** The answer is stored once per record: it must be small. */
const ACTION_CHARACTERS_MAX = 20_000

/** What would be wrong with every record alike. */
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
  /** The smallest, of several; null without a score. */
  score: number | null
}

interface AnsweredRecord {
  /** My answers so far. */
  values: ResponseValues
  /** By question name. */
  suggestions: ReadonlyMap<string, SuggestedAnswer>
}

/** What my response to a record becomes; null for none. It is still to be checked. */
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

/** Why an undo leaves a record as it is. */
export const CHANGED_SINCE = 'Changed since'

export const actionStatus = (action: BulkAction): ResponseStatus | null => ('status' in action ? action.status : null)
