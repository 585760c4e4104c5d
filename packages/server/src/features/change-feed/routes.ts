import * as api from '@postil/domain/api/change-feed'
import { type Served, serve } from '../../http/serve.ts'
import { listDatasetEvents } from './list.ts'

export const changeFeedRoutes: Served[] = [
  serve(api.listDatasetEvents, (ctx, { params, query }) => listDatasetEvents(ctx, params.dataset_id, query)),
]
