import * as api from '@postil/domain/api/imports'
import { type Served, serve } from '../../http/serve.ts'
import { previewUpload } from './preview.ts'
import { cancelImport, createImport, getImport, getImportRejects, listImports } from './request.ts'

export const importRoutes: Served[] = [
  serve(api.previewUpload, (ctx, { params, body }) => previewUpload(ctx, params.upload_id, body)),
  serve(api.createImport, (ctx, { params, body }) => createImport(ctx, params.dataset_id, body)),
  serve(api.getImport, (ctx, { params }) => getImport(ctx, params.import_id)),
  serve(api.listImports, (ctx, { params, query }) => listImports(ctx, params.dataset_id, query)),
  serve(api.cancelImport, (ctx, { params }) => cancelImport(ctx, params.import_id)),
  serve(api.getImportRejects, (ctx, { params }) => getImportRejects(ctx, params.import_id)),
]
