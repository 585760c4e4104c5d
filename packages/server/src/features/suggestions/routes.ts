import * as api from '@postil/domain/api/suggestions'
import { serve } from '../../http/serve.ts'
import { admitSuggester } from './admit.ts'
import { deleteSuggestion, deleteSuggestions, listSuggestions, putSuggestion } from './write.ts'

export const suggestionRoutes = [
  serve(api.listSuggestions, (ctx, { params }) => listSuggestions(ctx, params.record_id)),
  serve(
    api.upsertSuggestion,
    (ctx, { params, body }) => putSuggestion(ctx, params.record_id, body, { replace: true }),
    admitSuggester,
  ),
  serve(
    api.createSuggestion,
    (ctx, { params, body }) => putSuggestion(ctx, params.record_id, body, { replace: false }),
    admitSuggester,
  ),
  serve(api.deleteSuggestions, (ctx, { params, query }) => deleteSuggestions(ctx, params.record_id, query.ids)),
  serve(api.deleteSuggestion, (ctx, { params }) => deleteSuggestion(ctx, params.suggestion_id)),
]
