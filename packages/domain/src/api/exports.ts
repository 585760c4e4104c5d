import { EXPORTS_LISTED_MAX, Export, ExportColumns, ExportPage, ExportRequest, RESPONSE_SOURCES } from '../exports.ts'
import { Bytes, Int, OneOf, Optional, Shape, type Static, Text } from '../schema.ts'
import { DatasetParams, ExportParams } from './params.ts'
import { route } from './route.ts'

const tag = 'exports'

const STREAM_TYPES = ['application/x-ndjson', 'text/csv']

/** The search filter may list several hundred values. */
const EXPORT_BODY_BYTES_MAX = 262_144

export const createExport = route({
  id: 'createExport',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/exports',
  tag,
  status: 202,
  runs: 'writer',
  bodyBytesMax: EXPORT_BODY_BYTES_MAX,
  summary: 'Export records of a dataset to a file, by a job: all, or those that a search finds',
  params: DatasetParams,
  body: ExportRequest,
  response: Export,
})

export const streamExport = route({
  id: 'streamExport',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/exports/stream',
  tag,
  status: 200,
  runs: 'reader',
  searches: true,
  endsOnWriter: true,
  affinity: 'dataset_id',
  bodyBytesMax: EXPORT_BODY_BYTES_MAX,
  responseType: 'application/octet-stream',
  fileTypes: STREAM_TYPES,
  summary: 'Export up to 10,000 records as JSON lines or CSV, in the answer itself',
  params: DatasetParams,
  body: ExportRequest,
  response: Bytes,
})

const ExportsQuery = Shape({
  limit: Optional(Int({ minimum: 1, maximum: EXPORTS_LISTED_MAX, default: 20 })),
  before: Optional(Text(1, 100)),
})
export type ExportsQuery = Static<typeof ExportsQuery>

export const listExports = route({
  id: 'listExports',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/exports',
  tag,
  status: 200,
  runs: 'reader',
  summary: 'Exports of a dataset to files, newest first',
  params: DatasetParams,
  query: ExportsQuery,
  response: ExportPage,
})

const ExportColumnsQuery = Shape({
  responses: Optional(OneOf(RESPONSE_SOURCES, { default: 'all' })),
  shape: Optional(OneOf(['wide', 'long'], { default: 'wide' })),
})
export type ExportColumnsQuery = Static<typeof ExportColumnsQuery>

export const listExportColumns = route({
  id: 'listExportColumns',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/exports/columns',
  tag,
  status: 200,
  runs: 'here',
  summary: 'Columns that an export can have',
  params: DatasetParams,
  query: ExportColumnsQuery,
  response: ExportColumns,
})

export const getExport = route({
  id: 'getExport',
  method: 'GET',
  path: '/api/v1/exports/:export_id',
  tag,
  status: 200,
  runs: 'here',
  summary: 'How far an export is, and its file',
  params: ExportParams,
  response: Export,
})

export const cancelExport = route({
  id: 'cancelExport',
  method: 'POST',
  path: '/api/v1/exports/:export_id/cancel',
  tag,
  status: 200,
  runs: 'writer',
  urgent: true,
  summary: 'Cancel an export that waits or runs',
  params: ExportParams,
  response: Export,
})

export const downloadExport = route({
  id: 'downloadExport',
  method: 'GET',
  path: '/api/v1/exports/:export_id/file',
  tag,
  status: 200,
  runs: 'here',
  responseType: 'application/octet-stream',
  fileTypes: [...STREAM_TYPES, 'application/vnd.apache.parquet', 'application/zip', 'text/plain'],
  summary: 'Download the file of an export, or a range of it',
  params: ExportParams,
  response: Bytes,
})

export const exportRoutes = [createExport, streamExport, listExports, listExportColumns, getExport, cancelExport, downloadExport]
