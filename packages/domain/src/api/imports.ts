import { IMPORTS_LISTED_MAX, Import, ImportPage, ImportRequest, Preview, PreviewRequest } from '../imports.ts'
import { Id, Int, Optional, Shape, Text } from '../schema.ts'
import { DatasetParams, ImportParams, UploadParams } from './params.ts'
import { route } from './route.ts'

const tag = 'imports'

export const previewUpload = route({
  id: 'previewUpload',
  method: 'POST',
  path: '/api/v1/uploads/:upload_id/preview',
  tag,
  status: 200,
  runs: 'apart',
  summary: 'The first rows of an upload, its columns and what they may be used for',
  params: UploadParams,
  body: PreviewRequest,
  response: Preview,
})

export const createImport = route({
  id: 'createImport',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/imports',
  tag,
  status: 202,
  runs: 'writer',
  summary: 'Import the rows of an upload as records, by a job',
  params: DatasetParams,
  body: ImportRequest,
  response: Import,
})

export const getImport = route({
  id: 'getImport',
  method: 'GET',
  path: '/api/v1/imports/:import_id',
  tag,
  status: 200,
  runs: 'here',
  summary: 'How far an import is, and the first rows that were rejected',
  params: ImportParams,
  response: Import,
})

export const listImports = route({
  id: 'listImports',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/imports',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Imports of files into a dataset, newest first',
  params: DatasetParams,
  query: Shape({
    limit: Optional(Int({ minimum: 1, maximum: IMPORTS_LISTED_MAX })),
    before: Optional(Id),
  }),
  response: ImportPage,
})

export const cancelImport = route({
  id: 'cancelImport',
  method: 'POST',
  path: '/api/v1/imports/:import_id/cancel',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Cancel an import; what it has stored stays',
  params: ImportParams,
  response: Import,
})

export const getImportRejects = route({
  id: 'getImportRejects',
  method: 'GET',
  path: '/api/v1/imports/:import_id/rejects',
  tag,
  status: 200,
  runs: 'here',
  responseType: 'text/csv',
  summary: 'The rows that were rejected, as CSV: row, column, value, reason, and the columns of the file',
  params: ImportParams,
  response: Text(),
})

export const importRoutes = [previewUpload, createImport, getImport, listImports, cancelImport, getImportRejects]
