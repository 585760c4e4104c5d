import * as api from '@postil/domain/api/datasets'
import { streamMyDatasetEvents } from '@postil/domain/api/events'
import { type Served, serve, serveOpen } from '../../http/serve.ts'
import { createDataset } from './create.ts'
import { deleteDataset } from './delete.ts'
import { getDataset } from './get.ts'
import { getMyDatasetMetrics } from './get-my-metrics.ts'
import { getDatasetProgress } from './get-progress.ts'
import { getDatasetUsersProgress } from './get-users-progress.ts'
import { listDatasets } from './list.ts'
import { listLiveChanges } from './live-changes.ts'
import { readLiveChanges, readLiveOfUsers } from './live-read.ts'
import { publishDataset } from './publish.ts'
import { updateDataset } from './update.ts'
import { watchDataset, watchForUsers } from './watch.ts'

export const datasetRoutes: Served[] = [
  serve(api.listMyDatasets, (ctx, { query }) => listDatasets(ctx, query)),
  serve(api.listDatasets, (ctx, { query }) => listDatasets(ctx, query)),
  serve(api.createDataset, (ctx, { body }) => createDataset(ctx, body)),
  serve(api.getDataset, (ctx, { params, query }) => getDataset(ctx, params.dataset_id, query.include, query.utc_offset)),
  serve(api.updateDataset, (ctx, { params, body }) => updateDataset(ctx, params.dataset_id, body)),
  serve(api.publishDataset, (ctx, { params }) => publishDataset(ctx, params.dataset_id)),
  serve(api.deleteDataset, (ctx, { params }) => deleteDataset(ctx, params.dataset_id)),
  serve(api.getDatasetProgress, (ctx, { params }) => getDatasetProgress(ctx, params.dataset_id)),
  serve(api.getDatasetUsersProgress, (ctx, { params }) => getDatasetUsersProgress(ctx, params.dataset_id)),
  serve(api.getMyDatasetMetrics, (ctx, { params }) => getMyDatasetMetrics(ctx, params.dataset_id)),
  serve(streamMyDatasetEvents, (ctx, { params, query }) => watchDataset(ctx, params.dataset_id, query.user_id)),
  serveOpen(readLiveChanges, (ctx, { body }) => listLiveChanges(ctx, body.dataset_id, body.after)),
  serveOpen(readLiveOfUsers, (ctx, { body }) => watchForUsers(ctx, body.dataset_id, body.user_ids)),
]
