import * as api from '@postil/domain/api/overview'
import { type Served, serve } from '../../http/serve.ts'
import { getDatasetOverview } from './get.ts'
import { listOverviewRecords } from './list-records.ts'

export const overviewRoutes: Served[] = [
  serve(api.getDatasetOverview, (ctx, { params, query }) => getDatasetOverview(ctx, params.dataset_id, query)),
  serve(api.listOverviewRecords, (ctx, { params, query }) => listOverviewRecords(ctx, params.dataset_id, query)),
]
