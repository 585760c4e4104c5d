import * as api from '@postil/domain/api/dataset-settings'
import { type Served, serve } from '../../http/serve.ts'
import { createMetadataProperty } from './create.ts'
import { deleteMetadataProperty } from './delete.ts'
import { getMetadataPropertyMetrics } from './get-metrics.ts'
import { listMetadataProperties } from './list.ts'
import { updateMetadataProperty } from './update.ts'

export const metadataPropertyRoutes: Served[] = [
  serve(api.listMyMetadataProperties, (ctx, { params }) => listMetadataProperties(ctx, params.dataset_id)),
  serve(api.listMetadataProperties, (ctx, { params }) => listMetadataProperties(ctx, params.dataset_id)),
  serve(api.createMetadataProperty, (ctx, { params, body }) => createMetadataProperty(ctx, params.dataset_id, body)),
  serve(api.updateMetadataProperty, (ctx, { params, body }) => updateMetadataProperty(ctx, params.metadata_property_id, body)),
  serve(api.deleteMetadataProperty, (ctx, { params }) => deleteMetadataProperty(ctx, params.metadata_property_id)),
  serve(api.getMetadataPropertyMetrics, (ctx, { params }) => getMetadataPropertyMetrics(ctx, params.metadata_property_id)),
]
