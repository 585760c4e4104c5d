import { FEED_LIMIT_DEFAULT, FEED_LIMIT_MAX, FEED_WAIT_SECONDS_MAX, FeedPage } from '../change-feed.ts'
import { Int, Optional, Shape, Text } from '../schema.ts'
import { DatasetParams } from './params.ts'
import { route } from './route.ts'

export const listDatasetEvents = route({
  id: 'listDatasetEvents',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/events',
  tag: 'datasets',
  status: 200,
  runs: 'reader',
  summary:
    'The change feed: what happened in a dataset after an entry, in order and without gaps; `wait` seconds for the next one',
  params: DatasetParams,
  query: Shape({
    after: Optional(Int({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    /** The `inserted_at` of entry `after`. If the log has a different entry there, it was restored from a backup. */
    after_at: Optional(Text(1, 40)),
    limit: Optional(Int({ minimum: 1, maximum: FEED_LIMIT_MAX, default: FEED_LIMIT_DEFAULT })),
    wait: Optional(Int({ minimum: 0, maximum: FEED_WAIT_SECONDS_MAX, default: 0 })),
  }),
  response: FeedPage,
})

export const changeFeedRoutes = [listDatasetEvents]
