import { DatasetLive } from '../live.ts'
import { Id, Optional, Shape } from '../schema.ts'
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
  // Names the user like the header `X-Postil-User`, which browsers cannot send with event streams.
  query: Shape({ user_id: Optional(Id) }),
  response: DatasetLive,
})

export const eventRoutes = [streamMyDatasetEvents]
