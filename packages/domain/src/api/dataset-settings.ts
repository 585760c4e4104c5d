/** Fields, questions, metadata properties and vectors settings of datasets. */
import { Field, FieldCreate, FieldUpdate } from '../fields.ts'
import { MetadataMetrics, MetadataProperty, MetadataPropertyCreate, MetadataPropertyUpdate } from '../metadata-properties.ts'
import { Question, QuestionCreate, QuestionUpdate } from '../questions.ts'
import { Items } from '../schema.ts'
import { VectorsSettings, VectorsSettingsCreate, VectorsSettingsUpdate } from '../vectors.ts'
import {
  DatasetFieldParams,
  DatasetParams,
  DatasetQuestionParams,
  FieldParams,
  MetadataPropertyParams,
  QuestionParams,
  VectorsSettingsParams,
} from './params.ts'
import { route, SETTINGS_BODY_BYTES_MAX } from './route.ts'

export const listFields = route({
  id: 'listFields',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/fields',
  tag: 'fields',
  status: 200,
  runs: 'here',
  summary: 'Fields of a dataset, oldest first',
  params: DatasetParams,
  response: Items(Field),
})

export const createField = route({
  id: 'createField',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/fields',
  tag: 'fields',
  status: 201,
  runs: 'writer',
  bodyBytesMax: SETTINGS_BODY_BYTES_MAX,
  summary: 'Add a field to a draft',
  params: DatasetParams,
  body: FieldCreate,
  response: Field,
})

export const updateField = route({
  id: 'updateField',
  method: 'PATCH',
  path: '/api/v1/fields/:field_id',
  tag: 'fields',
  status: 200,
  runs: 'writer',
  bodyBytesMax: SETTINGS_BODY_BYTES_MAX,
  summary: 'Change title or settings of a field',
  params: FieldParams,
  body: FieldUpdate,
  response: Field,
})

export const deleteField = route({
  id: 'deleteField',
  method: 'DELETE',
  path: '/api/v1/fields/:field_id',
  tag: 'fields',
  status: 200,
  runs: 'writer',
  summary: 'Remove a field from a draft',
  params: FieldParams,
  response: Field,
})

export const deleteDatasetField = route({
  id: 'deleteDatasetField',
  method: 'DELETE',
  path: '/api/v1/datasets/:dataset_id/fields/:field_id',
  tag: 'fields',
  status: 200,
  runs: 'writer',
  summary: 'Remove a field from a draft (older path)',
  params: DatasetFieldParams,
  response: Field,
})

export const listQuestions = route({
  id: 'listQuestions',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/questions',
  tag: 'questions',
  status: 200,
  runs: 'here',
  summary: 'Questions of a dataset, oldest first',
  params: DatasetParams,
  response: Items(Question),
})

export const createQuestion = route({
  id: 'createQuestion',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/questions',
  tag: 'questions',
  status: 201,
  runs: 'writer',
  bodyBytesMax: SETTINGS_BODY_BYTES_MAX,
  summary: 'Add a question to a draft',
  params: DatasetParams,
  body: QuestionCreate,
  response: Question,
})

export const updateQuestion = route({
  id: 'updateQuestion',
  method: 'PATCH',
  path: '/api/v1/questions/:question_id',
  tag: 'questions',
  status: 200,
  runs: 'writer',
  bodyBytesMax: SETTINGS_BODY_BYTES_MAX,
  summary: 'Change title, description or settings of a question',
  params: QuestionParams,
  body: QuestionUpdate,
  response: Question,
})

export const deleteQuestion = route({
  id: 'deleteQuestion',
  method: 'DELETE',
  path: '/api/v1/questions/:question_id',
  tag: 'questions',
  status: 200,
  runs: 'writer',
  summary: 'Remove a question from a draft',
  params: QuestionParams,
  response: Question,
})

export const deleteDatasetQuestion = route({
  id: 'deleteDatasetQuestion',
  method: 'DELETE',
  path: '/api/v1/datasets/:dataset_id/questions/:question_id',
  tag: 'questions',
  status: 200,
  runs: 'writer',
  summary: 'Remove a question from a draft (older path)',
  params: DatasetQuestionParams,
  response: Question,
})

export const listMyMetadataProperties = route({
  id: 'listMyMetadataProperties',
  method: 'GET',
  path: '/api/v1/me/datasets/:dataset_id/metadata-properties',
  tag: 'metadata properties',
  status: 200,
  runs: 'here',
  summary: 'Metadata properties the caller may see, oldest first',
  params: DatasetParams,
  response: Items(MetadataProperty),
})

export const listMetadataProperties = route({
  ...listMyMetadataProperties,
  id: 'listMetadataProperties',
  path: '/api/v1/datasets/:dataset_id/metadata-properties',
  summary: 'The same as the /me form',
})

export const createMetadataProperty = route({
  id: 'createMetadataProperty',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/metadata-properties',
  tag: 'metadata properties',
  status: 201,
  runs: 'writer',
  summary: 'Add a metadata property',
  params: DatasetParams,
  body: MetadataPropertyCreate,
  response: MetadataProperty,
})

export const updateMetadataProperty = route({
  id: 'updateMetadataProperty',
  method: 'PATCH',
  path: '/api/v1/metadata-properties/:metadata_property_id',
  tag: 'metadata properties',
  status: 200,
  runs: 'writer',
  summary: 'Change title or visibility',
  params: MetadataPropertyParams,
  body: MetadataPropertyUpdate,
  response: MetadataProperty,
})

export const deleteMetadataProperty = route({
  id: 'deleteMetadataProperty',
  method: 'DELETE',
  path: '/api/v1/metadata-properties/:metadata_property_id',
  tag: 'metadata properties',
  status: 200,
  runs: 'writer',
  summary: 'Remove a metadata property; values stay in the records',
  params: MetadataPropertyParams,
  response: MetadataProperty,
})

export const getMetadataPropertyMetrics = route({
  id: 'getMetadataPropertyMetrics',
  method: 'GET',
  path: '/api/v1/metadata-properties/:metadata_property_id/metrics',
  tag: 'metadata properties',
  status: 200,
  runs: 'reader',
  searches: true,
  // The path does not name the dataset. With this affinity, only one thread caches the values of a property.
  affinity: 'metadata_property_id',
  summary: 'Terms with counts, or the smallest and largest number',
  params: MetadataPropertyParams,
  response: MetadataMetrics,
})

export const listVectorsSettings = route({
  id: 'listVectorsSettings',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/vectors-settings',
  tag: 'vectors settings',
  status: 200,
  runs: 'here',
  summary: 'Vectors settings of a dataset, oldest first',
  params: DatasetParams,
  response: Items(VectorsSettings),
})

export const createVectorsSettings = route({
  id: 'createVectorsSettings',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/vectors-settings',
  tag: 'vectors settings',
  status: 201,
  runs: 'writer',
  summary: 'Add a kind of vector',
  params: DatasetParams,
  body: VectorsSettingsCreate,
  response: VectorsSettings,
})

export const updateVectorsSettings = route({
  id: 'updateVectorsSettings',
  method: 'PATCH',
  path: '/api/v1/vectors-settings/:vectors_settings_id',
  tag: 'vectors settings',
  status: 200,
  runs: 'writer',
  summary: 'Change the title',
  params: VectorsSettingsParams,
  body: VectorsSettingsUpdate,
  response: VectorsSettings,
})

export const deleteVectorsSettings = route({
  id: 'deleteVectorsSettings',
  method: 'DELETE',
  path: '/api/v1/vectors-settings/:vectors_settings_id',
  tag: 'vectors settings',
  status: 200,
  runs: 'writer',
  summary: 'Remove a kind of vector with all vectors of it',
  params: VectorsSettingsParams,
  response: VectorsSettings,
})

export const datasetSettingsRoutes = [
  listFields,
  createField,
  updateField,
  deleteField,
  deleteDatasetField,
  listQuestions,
  createQuestion,
  updateQuestion,
  deleteQuestion,
  deleteDatasetQuestion,
  listMyMetadataProperties,
  listMetadataProperties,
  createMetadataProperty,
  updateMetadataProperty,
  deleteMetadataProperty,
  getMetadataPropertyMetrics,
  listVectorsSettings,
  createVectorsSettings,
  updateVectorsSettings,
  deleteVectorsSettings,
]
