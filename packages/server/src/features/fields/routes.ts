import * as api from '@postil/domain/api/dataset-settings'
import { type Served, serve } from '../../http/serve.ts'
import { createField } from './create.ts'
import { deleteField } from './delete.ts'
import { listFields } from './list.ts'
import { updateField } from './update.ts'

export const fieldRoutes: Served[] = [
  serve(api.listFields, (ctx, { params }) => listFields(ctx, params.dataset_id)),
  serve(api.createField, (ctx, { params, body }) => createField(ctx, params.dataset_id, body)),
  serve(api.updateField, (ctx, { params, body }) => updateField(ctx, params.field_id, body)),
  serve(api.deleteField, (ctx, { params }) => deleteField(ctx, { id: params.field_id })),
  serve(api.deleteDatasetField, (ctx, { params }) => deleteField(ctx, { id: params.field_id, datasetId: params.dataset_id })),
]
