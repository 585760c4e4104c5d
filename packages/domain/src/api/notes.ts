import { RecordComment, RecordCommentCreate, RecordFlags, RecordNotes } from '../notes.ts'
import { Items, Shape, Text } from '../schema.ts'
import { CommentParams, DatasetParams, RecordParams } from './params.ts'
import { route } from './route.ts'

const tag = 'notes'

export const flagRecord = route({
  id: 'flagRecord',
  method: 'PUT',
  path: '/api/v1/me/records/:record_id/flag',
  tag,
  status: 204,
  runs: 'writer',
  urgent: true,
  summary: 'Flag a record for the caller; once is enough',
  params: RecordParams,
})

export const unflagRecord = route({
  id: 'unflagRecord',
  method: 'DELETE',
  path: '/api/v1/me/records/:record_id/flag',
  tag,
  status: 204,
  runs: 'writer',
  urgent: true,
  summary: 'Take the caller’s flag off a record, if there is one',
  params: RecordParams,
})

export const listMyFlags = route({
  id: 'listMyFlags',
  method: 'GET',
  path: '/api/v1/me/datasets/:dataset_id/flags',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Records of a dataset that the caller flagged, last flagged first, up to 1000',
  params: DatasetParams,
  response: RecordFlags,
})

export const listMyNotes = route({
  id: 'listMyNotes',
  method: 'GET',
  path: '/api/v1/me/records/notes',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'For up to 100 records: whether the caller flagged them, and how many comments they have',
  query: Shape({ ids: Text() }),
  response: Items(RecordNotes),
})

export const listRecordComments = route({
  id: 'listRecordComments',
  method: 'GET',
  path: '/api/v1/records/:record_id/comments',
  tag,
  status: 200,
  runs: 'here',
  summary: 'Comments on a record, oldest first',
  params: RecordParams,
  response: Items(RecordComment),
})

export const createRecordComment = route({
  id: 'createRecordComment',
  method: 'POST',
  path: '/api/v1/records/:record_id/comments',
  tag,
  status: 201,
  runs: 'writer',
  urgent: true,
  summary: 'Comment on a record, which takes up to 200 comments',
  params: RecordParams,
  body: RecordCommentCreate,
  response: RecordComment,
})

export const deleteRecordComment = route({
  id: 'deleteRecordComment',
  method: 'DELETE',
  path: '/api/v1/comments/:comment_id',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Delete a comment: its author, or an admin of the workspace',
  params: CommentParams,
  response: RecordComment,
})

export const noteRoutes = [
  flagRecord,
  unflagRecord,
  listMyFlags,
  listMyNotes,
  listRecordComments,
  createRecordComment,
  deleteRecordComment,
]
