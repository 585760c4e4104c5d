import { DatasetLive } from '../live.ts'
import { DatasetParams } from './params.ts'
import { route } from './route.ts'

export const streamMyDatasetEvents = route({
  id: 'streamMyDatasetEvents',
  method: 'GET',
  path: '/api/v1/me/datasets/:dataset_id/events',
  tag: 'datasets',
  status: 200,
  runs: 'reader',
  stream: true,
  summary: 'What happens in a dataset, as server-sent events',
  params: DatasetParams,
  response: DatasetLive,
})

export const eventRoutes = [streamMyDatasetEvents]
