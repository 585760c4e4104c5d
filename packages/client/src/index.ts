export type { FeedEntry, FeedPage } from '@postil/domain/change-feed'
export type { Dataset, DatasetCreate } from '@postil/domain/datasets'
export { DomainError, type ErrorCode, FullReadNeeded, ShapeError, type ShapeProblem } from '@postil/domain/errors'
export type { Field, FieldCreate } from '@postil/domain/fields'
export type { MetadataProperty, MetadataPropertyCreate } from '@postil/domain/metadata-properties'
export type { Question, QuestionCreate } from '@postil/domain/questions'
export type { DatasetRecord, RecordCreate, RecordUpdate, RecordUpsert } from '@postil/domain/records'
export type { RecordResponse, ResponseUpsert } from '@postil/domain/responses'
export type { SearchBody } from '@postil/domain/search/query'
export type { Suggestion, SuggestionCreate } from '@postil/domain/suggestions'
export type { User } from '@postil/domain/users'
export type { VectorsSettings, VectorsSettingsCreate } from '@postil/domain/vectors'
export type { Workspace } from '@postil/domain/workspaces'
export type { CallAnswer, CallInput, CallOptions, Fetch } from './call.ts'
export type { ChunkOptions } from './chunks.ts'
export { type Client, type ClientOptions, createClient, signIn } from './client.ts'
export { createDatasetWithSettings, type DatasetDescription, type DatasetWithSettings } from './datasets.ts'
export { ConnectionError, type ConnectionProblem, UnexpectedAnswerError } from './errors.ts'
export {
  createRecordsInChunks,
  deleteRecordsInChunks,
  iterateRecords,
  type RecordQuery,
  type RecordsWritten,
  writeRecords,
} from './records.ts'
export { type ResponseFailure, type ResponsesSubmitted, submitResponses } from './responses.ts'
