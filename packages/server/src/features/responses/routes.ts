import * as api from '@postil/domain/api/responses'
import { serve } from '../../http/serve.ts'
import { createResponse, deleteResponse, updateResponse, upsertResponsesBulk } from './write.ts'

export const responseRoutes = [
  serve(api.createResponse, (ctx, { params, body }) => createResponse(ctx, params.record_id, body)),
  serve(api.createMyResponse, (ctx, { params, body }) => createResponse(ctx, params.record_id, body)),
  serve(api.updateResponse, (ctx, { params, body }) => updateResponse(ctx, params.response_id, body)),
  serve(api.deleteResponse, (ctx, { params }) => deleteResponse(ctx, params.response_id)),
  serve(api.upsertMyResponsesBulk, (ctx, { body }) => upsertResponsesBulk(ctx, body.items)),
]
