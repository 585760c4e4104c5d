import {
  DatasetRecord,
  RecordsBulk,
  RecordsBulkCreate,
  RecordsBulkUpsert,
  RecordsCreate,
  RecordsUpdate,
  RecordUpdate,
} from '../records.ts'
import { AnyOf, Dictionary, Float, Id, Int, Items, List, Nullable, Optional, Shape, Text } from '../schema.ts'
import { CountsBody, RecordCounts } from '../search/counts.ts'
import { ListPage, OldParameters, SearchBody, SearchPage } from '../search/query.ts'
import { DatasetParams, RecordParams } from './params.ts'
import { route } from './route.ts'

const tag = 'records'

export const createRecordsBulk = route({
  id: 'createRecordsBulk',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/records/bulk',
  tag,
  status: 201,
  runs: 'writer',
  largeBody: true,
  summary: 'Create records with their responses, suggestions and vectors: all of them, or none',
  params: DatasetParams,
  body: RecordsBulkCreate,
  response: RecordsBulk,
})

export const upsertRecordsBulk = route({
  id: 'upsertRecordsBulk',
  method: 'PUT',
  path: '/api/v1/datasets/:dataset_id/records/bulk',
  tag,
  status: 200,
  runs: 'writer',
  largeBody: true,
  summary: 'Create records, or change those that exist by id or external id: all of them, or none',
  params: DatasetParams,
  body: RecordsBulkUpsert,
  response: RecordsBulk,
})

export const createRecords = route({
  id: 'createRecords',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/records',
  tag,
  status: 204,
  runs: 'writer',
  largeBody: true,
  summary: 'Create records (older path, empty answer)',
  params: DatasetParams,
  body: RecordsCreate,
})

export const updateRecords = route({
  id: 'updateRecords',
  method: 'PATCH',
  path: '/api/v1/datasets/:dataset_id/records',
  tag,
  status: 204,
  runs: 'writer',
  largeBody: true,
  summary: 'Change records by id (older path, empty answer)',
  params: DatasetParams,
  body: RecordsUpdate,
})

const ListQuery = Shape({ ...ListPage, ...OldParameters.properties })
const RecordsPage = Shape({ items: List(DatasetRecord), total: Int() })

/** A list request with one of these parameters runs as a search. */
const SEARCH_PARAMETERS = ['response_status', 'metadata', 'sort_by'] as const

export const listRecords = route({
  id: 'listRecords',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/records',
  tag,
  status: 200,
  runs: 'reader',
  searches: SEARCH_PARAMETERS,
  affinity: 'dataset_id',
  summary: 'Records of a dataset, oldest first',
  params: DatasetParams,
  query: ListQuery,
  response: RecordsPage,
})

export const listMyRecords = route({
  id: 'listMyRecords',
  method: 'GET',
  path: '/api/v1/me/datasets/:dataset_id/records',
  tag,
  status: 200,
  runs: 'reader',
  // Always a search, because records are shuffled for each caller.
  searches: true,
  affinity: 'dataset_id',
  summary: 'Records with the caller’s own responses',
  params: DatasetParams,
  query: ListQuery,
  response: RecordsPage,
})

export const deleteRecords = route({
  id: 'deleteRecords',
  method: 'DELETE',
  path: '/api/v1/datasets/:dataset_id/records',
  tag,
  status: 204,
  runs: 'writer',
  summary: 'Delete up to 100 records by id',
  params: DatasetParams,
  query: Shape({ ids: Text() }),
})

const SearchQueryString = Shape({ ...SearchPage, ...OldParameters.properties })

/** Start and end in code points. */
const Ranges = List(List(Int(), { minItems: 2, maxItems: 2 }))
/** Ranges by field name; for chats, by message. */
const Highlights = Dictionary(AnyOf({ text: Ranges, chat: List(Shape({ message: Int(), ranges: Ranges })) }))
const SearchHit = Shape({ record: DatasetRecord, query_score: Nullable(Float()), highlights: Optional(Highlights) })
const SearchResult = Shape({ items: List(SearchHit), total: Int() })

export const searchRecords = route({
  id: 'searchRecords',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/records/search',
  tag,
  status: 200,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  summary: 'Search by text, filters, sort or similarity, over everybody’s responses',
  params: DatasetParams,
  query: SearchQueryString,
  body: SearchBody,
  response: SearchResult,
})

export const searchMyRecords = route({
  id: 'searchMyRecords',
  method: 'POST',
  path: '/api/v1/me/datasets/:dataset_id/records/search',
  tag,
  status: 200,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  summary: 'Search, with the caller’s own responses: the annotation queue',
  params: DatasetParams,
  query: SearchQueryString,
  body: SearchBody,
  response: SearchResult,
})

export const countMyRecords = route({
  id: 'countMyRecords',
  method: 'POST',
  path: '/api/v1/me/datasets/:dataset_id/records/counts',
  tag,
  status: 200,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  summary: 'Count under a search: records in each of the caller’s queues, and records by value of what can be filtered',
  params: DatasetParams,
  body: CountsBody,
  response: RecordCounts,
})

export const listSuggestionOptions = route({
  id: 'listSuggestionOptions',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/records/search/suggestions/options',
  tag,
  status: 200,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  summary: 'Agents that suggested answers, by question',
  params: DatasetParams,
  response: Items(Shape({ question: Shape({ id: Id, name: Text() }), agents: List(Text()) })),
})

export const getRecord = route({
  id: 'getRecord',
  method: 'GET',
  path: '/api/v1/records/:record_id',
  tag,
  status: 200,
  runs: 'here',
  summary: 'One record with all it holds',
  params: RecordParams,
  response: DatasetRecord,
})

export const updateRecord = route({
  id: 'updateRecord',
  method: 'PATCH',
  path: '/api/v1/records/:record_id',
  tag,
  status: 200,
  runs: 'writer',
  largeBody: true,
  summary: 'Change fields, metadata, vectors or suggestions of a record',
  params: RecordParams,
  body: RecordUpdate,
  response: DatasetRecord,
})

export const deleteRecord = route({
  id: 'deleteRecord',
  method: 'DELETE',
  path: '/api/v1/records/:record_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Delete a record',
  params: RecordParams,
  response: DatasetRecord,
})

export const recordRoutes = [
  createRecordsBulk,
  upsertRecordsBulk,
  createRecords,
  updateRecords,
  listRecords,
  listMyRecords,
  deleteRecords,
  searchRecords,
  searchMyRecords,
  countMyRecords,
  listSuggestionOptions,
  getRecord,
  updateRecord,
  deleteRecord,
]
