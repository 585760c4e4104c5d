import * as api from '@postil/domain/api/dataset-settings'
import { type Served, serve } from '../../http/serve.ts'
import { createVectorsSettings } from './create.ts'
import { deleteVectorsSettings } from './delete.ts'
import { listVectorsSettings } from './list.ts'
import { updateVectorsSettings } from './update.ts'

export const vectorsSettingsRoutes: Served[] = [
  serve(api.listVectorsSettings, (ctx, { params }) => listVectorsSettings(ctx, params.dataset_id)),
  serve(api.createVectorsSettings, (ctx, { params, body }) => createVectorsSettings(ctx, params.dataset_id, body)),
  serve(api.updateVectorsSettings, (ctx, { params, body }) => updateVectorsSettings(ctx, params.vectors_settings_id, body)),
  serve(api.deleteVectorsSettings, (ctx, { params }) => deleteVectorsSettings(ctx, params.vectors_settings_id)),
]
