import * as api from '@postil/domain/api/hub'
import { type Served, serve } from '../../http/serve.ts'
import { getHubDataset } from './get-dataset.ts'
import { exportToHub, importFromHub } from './request.ts'

export const hubRoutes: Served[] = [
  serve(api.importFromHub, (ctx, { params, body }) => importFromHub(ctx, params.dataset_id, body)),
  serve(api.exportToHub, (ctx, { params, body }) => exportToHub(ctx, params.dataset_id, body)),
  serve(api.getHubDataset, (ctx, { query }) => getHubDataset(ctx, query)),
]
