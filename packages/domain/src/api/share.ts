/** Public cards with a user's progress. Both routes return 404 if sharing is disabled on the server. */
import { Shape, Text } from '../schema.ts'
import { CARD_LENGTH_MAX } from '../share.ts'
import { DatasetParams } from './params.ts'
import { route } from './route.ts'

const tag = 'share'

export const shareMyProgress = route({
  id: 'shareMyProgress',
  method: 'POST',
  path: '/api/v1/me/datasets/:dataset_id/share',
  tag,
  status: 200,
  runs: 'reader',
  endsOnWriter: true,
  summary: 'A signed card with the caller’s progress, from two submitted responses on; where sharing is on',
  params: DatasetParams,
  response: Shape({ card: Text() }),
})

export const getShareCard = route({
  id: 'getShareCard',
  method: 'GET',
  path: '/api/v1/share-card',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  responseType: 'image/svg+xml',
  summary: 'The picture of a card; where sharing is on',
  query: Shape({ card: Text(1, CARD_LENGTH_MAX) }),
  response: Text(),
})

export const shareRoutes = [shareMyProgress, getShareCard]
