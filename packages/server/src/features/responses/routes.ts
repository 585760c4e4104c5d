import * as api from '@postil/domain/api/responses'
import { RECENT_MAX } from '@postil/domain/responses'
import { serve } from '../../http/serve.ts'
import { getResponseOfUser, listMyHistory, listMyRecent } from './read.ts'
import { createResponse, deleteResponse, updateResponse, upsertResponsesBulk } from './write.ts'

export const responseRoutes = [
  serve(api.createResponse, (ctx, { params, body }) => createResponse(ctx, params.record_id, body)),
  serve(api.createMyResponse, (ctx, { params, body }) => createResponse(ctx, params.record_id, body)),
  serve(api.updateResponse, (ctx, { params, body }) => updateResponse(ctx, params.response_id, body)),
  serve(api.deleteResponse, (ctx, { params, query }) => deleteResponse(ctx, params.response_id, query)),
  serve(api.upsertMyResponsesBulk, (ctx, { body }) => upsertResponsesBulk(ctx, body.items)),
  serve(api.listMyResponseHistory, (ctx, { params }) => listMyHistory(ctx, params.record_id)),
  serve(api.getResponseOfUser, (ctx, { params }) => getResponseOfUser(ctx, params.record_id, params.user_id)),
  serve(api.listMyRecentResponses, (ctx, { params, query }) =>
    listMyRecent(ctx, params.dataset_id, { limit: query.limit ?? RECENT_MAX }),
  ),
]
