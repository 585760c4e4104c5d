import { Items, Shape, Text } from '../schema.ts'
import { Suggestion, SuggestionCreate } from '../suggestions.ts'
import { RecordParams, SuggestionParams } from './params.ts'
import { route } from './route.ts'

const tag = 'suggestions'

export const listSuggestions = route({
  id: 'listSuggestions',
  method: 'GET',
  path: '/api/v1/records/:record_id/suggestions',
  tag,
  status: 200,
  runs: 'here',
  summary: 'Suggestions of a record, oldest first',
  params: RecordParams,
  response: Items(Suggestion),
})

export const upsertSuggestion = route({
  id: 'upsertSuggestion',
  method: 'PUT',
  path: '/api/v1/records/:record_id/suggestions',
  tag,
  status: 201,
  otherStatuses: [200],
  runs: 'writer',
  largeBody: true,
  summary: 'Suggest an answer, or replace the one suggested before',
  params: RecordParams,
  body: SuggestionCreate,
  response: Suggestion,
})

export const createSuggestion = route({
  id: 'createSuggestion',
  method: 'POST',
  path: '/api/v1/records/:record_id/suggestions',
  tag,
  status: 201,
  runs: 'writer',
  largeBody: true,
  summary: 'Suggest an answer to a question that has none (older path)',
  params: RecordParams,
  body: SuggestionCreate,
  response: Suggestion,
})

export const deleteSuggestions = route({
  id: 'deleteSuggestions',
  method: 'DELETE',
  path: '/api/v1/records/:record_id/suggestions',
  tag,
  status: 204,
  runs: 'writer',
  summary: 'Delete up to 100 suggestions of a record by id',
  params: RecordParams,
  query: Shape({ ids: Text() }),
})

export const deleteSuggestion = route({
  id: 'deleteSuggestion',
  method: 'DELETE',
  path: '/api/v1/suggestions/:suggestion_id',
  tag,
  status: 200,
  runs: 'writer',
  summary: 'Delete a suggestion',
  params: SuggestionParams,
  response: Suggestion,
})

export const suggestionRoutes = [listSuggestions, upsertSuggestion, createSuggestion, deleteSuggestions, deleteSuggestion]
