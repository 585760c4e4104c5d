/** Changes to the settings of a dataset that already has answers, beyond what a PATCH of a question allows. */
import { checkRecordSelection } from './bulk-jobs.ts'
import { invalid } from './errors.ts'
import { listed, quoted } from './message-values.ts'
import { OptionCreate, uniqueValuesProblem } from './questions/options.ts'
import { RESPONSE_STATUSES } from './responses.ts'
import { Bool, Id, Int, List, Nullable, OneOf, Optional, Shape, type Static, Text } from './schema.ts'
import { SearchBody } from './search/query.ts'

/** Maximum number of labels in one request. Leaves room for questions whose option limit was raised a lot. */
const LABELS_ADDED_MAX = 10_000

/** `POST /questions/{id}/options`. */
export const OptionsAdd = Shape(
  { options: List(OptionCreate, { minItems: 1, maxItems: LABELS_ADDED_MAX }) },
  { 'x-check': uniqueValuesProblem },
)
export type OptionsAdd = Static<typeof OptionsAdd>

/** `POST /questions/{id}/options/migrate`. */
export const LabelMigration = Shape({
  from: Text(1, 200),
  /** Another label of the question, or a new value for this one; null removes the label from answers and suggestions. */
  to: Nullable(Text(1, 200)),
})
export type LabelMigration = Static<typeof LabelMigration>

export const LabelUsesQuery = Shape({ value: Text(1, 200) })

/** Number of uses of a label. */
export const LabelUses = Shape({
  /** Responses of all users and statuses. */
  responses: Int(),
  suggestions: Int(),
  /** False if there are more than 100,000, where counting stops. */
  is_complete: Bool(),
})
export type LabelUses = Static<typeof LabelUses>

export const LABEL_USES_MAX = 100_000

/** `PUT /datasets/{id}/questions/order`. */
export const QuestionsOrder = Shape({ question_ids: List(Id, { minItems: 1, maxItems: 1_000 }) })
export type QuestionsOrder = Static<typeof QuestionsOrder>

/** `PUT /questions/{id}/required`. */
export const QuestionRequired = Shape({ required: Bool() })

/** `POST /datasets/{id}/records/delete-by-filter`. */
export const RecordsDeletion = Shape(
  {
    /** The body of `POST /me/datasets/{id}/records/search`, and its parameter `response_status`. */
    query: SearchBody,
    response_status: Optional(Nullable(OneOf(['pending', ...RESPONSE_STATUSES]))),
    /** The number of records that the user confirmed. */
    expected_total: Int({ minimum: 1 }),
    /** Idempotency key: a repeated request returns the same job. */
    write_id: Optional(Nullable(Id)),
  },
  { 'x-check': checkRecordSelection },
)
export type RecordsDeletion = Static<typeof RecordsDeletion>

/** Maximum number of records that one job deletes. */
export const RECORDS_DELETED_MAX = 100_000

/** Throws unless the list contains the id of every question exactly once. */
export function checkOrder(questions: readonly { id: Id; name: string }[], ids: readonly Id[]): void {
  const at = ['question_ids']
  if (new Set(ids).size < ids.length) throw invalid('A question is named twice', at)
  const known = new Set(questions.map(({ id }) => id))
  const unknown = ids.filter(id => !known.has(id))
  if (unknown.length > 0) throw invalid(`Not questions of this dataset: ${listed(unknown.map(quoted))}`, at)
  const missing = questions.filter(({ id }) => !ids.includes(id)).map(({ name }) => quoted(name))
  if (missing.length > 0) throw invalid(`The order names all questions of the dataset. Missing: ${listed(missing)}`, at)
}

/** Throws if a published dataset would be left without a required question. */
export function checkStillRequired(
  dataset: { status: string },
  questions: readonly { id: Id; required: boolean }[],
  changed: { id: Id; required: boolean },
): void {
  if (dataset.status !== 'ready' || changed.required) return
  if (questions.some(({ id, required }) => required && id !== changed.id)) return
  throw invalid('A published dataset has at least one required question: make another one required first', ['required'])
}
