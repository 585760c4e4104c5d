import * as api from '@postil/domain/api/exports'
import { type Served, serve } from '../../http/serve.ts'
import { createExport } from './create.ts'
import { cancelExport, downloadExport, getExport, listExportColumns, listExports } from './read.ts'
import { exportPart, exportStart, readExportPart, startExportStream, streamExport } from './stream.ts'

export const exportRoutes: Served[] = [
  serve(api.createExport, (ctx, { params, body }) => createExport(ctx, params.dataset_id, body)),
  serve(api.streamExport, (ctx, { params, body }) => streamExport(ctx, params.dataset_id, body)),
  serve(exportStart, (ctx, { body }) => startExportStream(ctx, body)),
  serve(exportPart, (ctx, { body }) => readExportPart(ctx, body)),
  serve(api.listExports, (ctx, { params, query }) => listExports(ctx, params.dataset_id, query)),
  serve(api.listExportColumns, (ctx, { params, query }) => listExportColumns(ctx, params.dataset_id, query)),
  serve(api.getExport, (ctx, { params }) => getExport(ctx, params.export_id)),
  serve(api.cancelExport, (ctx, { params }) => cancelExport(ctx, params.export_id)),
  serve(api.downloadExport, (ctx, { params }) => downloadExport(ctx, params.export_id)),
]
