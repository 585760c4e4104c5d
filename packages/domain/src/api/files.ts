import { UPLOAD_CONTENT_BYTES_MAX, Upload, UploadCreate } from '../files.ts'
import { Bytes, Int, Shape } from '../schema.ts'
import { UploadParams } from './params.ts'
import { route } from './route.ts'

const tag = 'files'

export const createUpload = route({
  id: 'createUpload',
  method: 'POST',
  path: '/api/v1/uploads',
  tag,
  status: 201,
  runs: 'writer',
  urgent: true,
  summary: 'Begin to upload a file, whose content follows piece by piece: for owners and admins',
  body: UploadCreate,
  response: Upload,
})

export const getUpload = route({
  id: 'getUpload',
  method: 'GET',
  path: '/api/v1/uploads/:upload_id',
  tag,
  status: 200,
  runs: 'here',
  summary: 'How much of an upload the server has: for whoever began it',
  params: UploadParams,
  response: Upload,
})

export const putUploadContent = route({
  id: 'putUploadContent',
  method: 'PUT',
  path: '/api/v1/uploads/:upload_id/content',
  tag,
  status: 200,
  runs: 'here',
  endsOnWriter: true,
  bodyType: 'bytes',
  bodyBytesMax: UPLOAD_CONTENT_BYTES_MAX,
  summary: 'Add the next bytes to an upload; `offset` is how many it has',
  params: UploadParams,
  query: Shape({ offset: Int({ minimum: 0 }) }),
  body: Bytes,
  response: Upload,
})

export const deleteUpload = route({
  id: 'deleteUpload',
  method: 'DELETE',
  path: '/api/v1/uploads/:upload_id',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Delete an upload; imports that still read it fail',
  params: UploadParams,
  response: Upload,
})

export const fileRoutes = [createUpload, getUpload, putUploadContent, deleteUpload]
