import { DatasetIncludes, DatasetWithIncludes } from '../dataset-includes.ts'
import {
  DATASET_STATUSES,
  Dataset,
  DatasetCreate,
  DatasetMetrics,
  DatasetProgress,
  DatasetUpdate,
  DatasetUsersProgress,
} from '../datasets.ts'
import { UtcOffset } from '../overview.ts'
import { Id, Items, OneOf, Optional, Shape, Text } from '../schema.ts'
import { DatasetParams } from './params.ts'
import { route } from './route.ts'

const tag = 'datasets'

const ListQuery = Shape({
  workspace_id: Optional(Id),
  name: Optional(Text()),
  status: Optional(OneOf(DATASET_STATUSES)),
  include: DatasetIncludes,
  /** For `pace`. */
  utc_offset: UtcOffset,
})

export const listMyDatasets = route({
  id: 'listMyDatasets',
  method: 'GET',
  path: '/api/v1/me/datasets',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Datasets the caller can see, oldest first',
  query: ListQuery,
  response: Items(DatasetWithIncludes),
})

export const listDatasets = route({
  ...listMyDatasets,
  id: 'listDatasets',
  path: '/api/v1/datasets',
  summary: 'The same as /me/datasets',
})

export const createDataset = route({
  id: 'createDataset',
  method: 'POST',
  path: '/api/v1/datasets',
  tag,
  status: 201,
  runs: 'writer',
  summary: 'Create a dataset, as a draft',
  body: DatasetCreate,
  response: Dataset,
})

export const getDataset = route({
  id: 'getDataset',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id',
  tag,
  status: 200,
  runs: 'here',
  readerWith: 'include',
  summary: 'One dataset',
  params: DatasetParams,
  query: Shape({ include: DatasetIncludes, utc_offset: UtcOffset }),
  response: DatasetWithIncludes,
})

export const updateDataset = route({
  id: 'updateDataset',
  method: 'PATCH',
  path: '/api/v1/datasets/:dataset_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Change name, guidelines, extra metadata, distribution or metadata',
  params: DatasetParams,
  body: DatasetUpdate,
  response: Dataset,
})

export const publishDataset = route({
  id: 'publishDataset',
  method: 'PUT',
  path: '/api/v1/datasets/:dataset_id/publish',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Publish a draft: records can then be added',
  params: DatasetParams,
  response: Dataset,
})

export const deleteDataset = route({
  id: 'deleteDataset',
  method: 'DELETE',
  path: '/api/v1/datasets/:dataset_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Delete a dataset with all it holds',
  params: DatasetParams,
  response: Dataset,
})

export const getDatasetProgress = route({
  id: 'getDatasetProgress',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/progress',
  tag,
  status: 200,
  runs: 'here',
  summary: 'How many records are completed, and who worked on them',
  params: DatasetParams,
  response: DatasetProgress,
})

export const getDatasetUsersProgress = route({
  id: 'getDatasetUsersProgress',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/users/progress',
  tag,
  status: 200,
  runs: 'reader',
  searches: true,
  summary: 'Responses by status of each user who is a member of the workspace or an owner, or was when they responded',
  params: DatasetParams,
  response: DatasetUsersProgress,
})

export const getMyDatasetMetrics = route({
  id: 'getMyDatasetMetrics',
  method: 'GET',
  path: '/api/v1/me/datasets/:dataset_id/metrics',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'The caller’s own responses by status',
  params: DatasetParams,
  response: DatasetMetrics,
})

export const datasetRoutes = [
  listMyDatasets,
  listDatasets,
  createDataset,
  getDataset,
  updateDataset,
  publishDataset,
  deleteDataset,
  getDatasetProgress,
  getDatasetUsersProgress,
  getMyDatasetMetrics,
]
