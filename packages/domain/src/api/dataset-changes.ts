import { BulkJob } from '../bulk-jobs.ts'
import {
  LabelMigration,
  LabelUses,
  LabelUsesQuery,
  OptionsAdd,
  QuestionRequired,
  QuestionsOrder,
  RecordsDeletion,
} from '../dataset-changes.ts'
import { Job } from '../jobs.ts'
import { Question } from '../questions.ts'
import { Items } from '../schema.ts'
import { DatasetParams, QuestionParams } from './params.ts'
import { route, SETTINGS_BODY_BYTES_MAX } from './route.ts'

export const setQuestionRequired = route({
  id: 'setQuestionRequired',
  method: 'PUT',
  path: '/api/v1/questions/:question_id/required',
  tag: 'questions',
  status: 200,
  runs: 'writer',
  summary: 'Make a question required, or not; responses that were submitted before stay as they are',
  params: QuestionParams,
  body: QuestionRequired,
  response: Question,
})

export const setQuestionsOrder = route({
  id: 'setQuestionsOrder',
  method: 'PUT',
  path: '/api/v1/datasets/:dataset_id/questions/order',
  tag: 'questions',
  status: 200,
  runs: 'writer',
  summary: 'Put all questions of a dataset in an order',
  params: DatasetParams,
  body: QuestionsOrder,
  response: Items(Question),
})

export const addQuestionOptions = route({
  id: 'addQuestionOptions',
  method: 'POST',
  path: '/api/v1/questions/:question_id/options',
  tag: 'questions',
  status: 200,
  runs: 'writer',
  bodyBytesMax: SETTINGS_BODY_BYTES_MAX,
  summary: 'Add labels to a label, multi-label or span question, published or not',
  params: QuestionParams,
  body: OptionsAdd,
  response: Question,
})

export const getOptionUses = route({
  id: 'getOptionUses',
  method: 'GET',
  path: '/api/v1/questions/:question_id/options/uses',
  tag: 'questions',
  status: 200,
  runs: 'reader',
  searches: true,
  affinity: 'question_id',
  summary: 'How many responses and suggestions have a label',
  params: QuestionParams,
  query: LabelUsesQuery,
  response: LabelUses,
})

export const migrateQuestionOption = route({
  id: 'migrateQuestionOption',
  method: 'POST',
  path: '/api/v1/questions/:question_id/options/migrate',
  tag: 'questions',
  status: 202,
  runs: 'writer',
  summary: 'Remove a label from a question at once; a job replaces or removes it in responses and suggestions',
  params: QuestionParams,
  body: LabelMigration,
  response: Job,
})

export const deleteRecordsByFilter = route({
  id: 'deleteRecordsByFilter',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/records/delete-by-filter',
  tag: 'records',
  status: 202,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  endsOnWriter: true,
  summary: 'Delete all records that match, by a job of the caller',
  params: DatasetParams,
  body: RecordsDeletion,
  response: BulkJob,
})

export const datasetChangesRoutes = [
  setQuestionRequired,
  setQuestionsOrder,
  addQuestionOptions,
  getOptionUses,
  migrateQuestionOption,
  deleteRecordsByFilter,
]
