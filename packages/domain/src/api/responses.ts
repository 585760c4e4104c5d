import {
  IfUpdatedAt,
  RECENT_MAX,
  RecentResponse,
  RecordResponse,
  ResponseCreate,
  ResponseOfAuthor,
  ResponsesBulk,
  ResponsesBulkUpsert,
  ResponseUpdate,
  ResponseVersion,
} from '../responses.ts'
import { Int, Items, Optional, Shape } from '../schema.ts'
import { DatasetParams, RecordParams, RecordUserParams, ResponseParams } from './params.ts'
import { BODY_BYTES_MAX, route } from './route.ts'

const tag = 'responses'

export const createResponse = route({
  id: 'createResponse',
  method: 'POST',
  path: '/api/v1/records/:record_id/responses',
  tag,
  status: 201,
  runs: 'writer',
  urgent: true,
  summary: 'Respond to a record',
  params: RecordParams,
  body: ResponseCreate,
  response: RecordResponse,
})

export const createMyResponse = route({
  ...createResponse,
  id: 'createMyResponse',
  path: '/api/v1/me/records/:record_id/responses',
  summary: 'Respond to a record (older path)',
})

export const updateResponse = route({
  id: 'updateResponse',
  method: 'PUT',
  path: '/api/v1/responses/:response_id',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Replace status and values of a response',
  params: ResponseParams,
  body: ResponseUpdate,
  response: RecordResponse,
})

export const deleteResponse = route({
  id: 'deleteResponse',
  method: 'DELETE',
  path: '/api/v1/responses/:response_id',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Delete a response',
  params: ResponseParams,
  query: Shape({ if_updated_at: Optional(IfUpdatedAt) }),
  response: RecordResponse,
})

export const upsertMyResponsesBulk = route({
  id: 'upsertMyResponsesBulk',
  method: 'POST',
  path: '/api/v1/me/responses/bulk',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  // Up to 100 responses, some of them with long texts.
  bodyBytesMax: 8 * BODY_BYTES_MAX,
  summary: 'Respond to up to 100 records; each succeeds or fails alone',
  body: ResponsesBulkUpsert,
  response: ResponsesBulk,
})

export const listMyResponseHistory = route({
  id: 'listMyResponseHistory',
  method: 'GET',
  path: '/api/v1/me/records/:record_id/history',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'What the caller’s response to a record was before, newest first, up to 50',
  params: RecordParams,
  response: Items(ResponseVersion),
})

export const getResponseOfUser = route({
  id: 'getResponseOfUser',
  method: 'GET',
  path: '/api/v1/records/:record_id/users/:user_id/response',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'A user’s response to a record and what it was before, newest first, up to 50',
  params: RecordUserParams,
  response: ResponseOfAuthor,
})

export const listMyRecentResponses = route({
  id: 'listMyRecentResponses',
  method: 'GET',
  path: '/api/v1/me/datasets/:dataset_id/recent',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'The records that the caller answered last, newest first, up to 50',
  params: DatasetParams,
  query: Shape({ limit: Optional(Int({ minimum: 1, maximum: RECENT_MAX, default: RECENT_MAX })) }),
  response: Items(RecentResponse),
})

export const responseRoutes = [
  createResponse,
  createMyResponse,
  updateResponse,
  deleteResponse,
  upsertMyResponsesBulk,
  listMyResponseHistory,
  getResponseOfUser,
  listMyRecentResponses,
]
