import * as api from '@postil/domain/api/files'
import { allow } from '@postil/domain/errors'
import { canUpload } from '@postil/domain/permissions'
import { type Served, serve } from '../../http/serve.ts'
import { createUpload, deleteUpload, getUpload, putUploadContent, recordContent, recordUploadContent } from './uploads.ts'

export const fileRoutes: Served[] = [
  serve(api.createUpload, (ctx, { body }) => createUpload(ctx, body)),
  serve(api.getUpload, (ctx, { params }) => getUpload(ctx, params.upload_id)),
  serve(
    api.putUploadContent,
    (ctx, { params, query, body }) => putUploadContent(ctx, params.upload_id, { offset: query.offset, bytes: body }),
    { admit: async ({ actor }) => allow(canUpload(actor)) },
  ),
  serve(recordContent, (ctx, { body }) => recordUploadContent(ctx, body)),
  serve(api.deleteUpload, (ctx, { params }) => deleteUpload(ctx, params.upload_id)),
]
