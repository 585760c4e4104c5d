/**
 * Internal route that reads metrics of the database and the search engine. It is not part of the API and cannot be called from
 * outside.
 */
import { route } from '@postil/domain/api/route'

export const readSharedSamples = route({
  id: 'readSharedSamples',
  method: 'POST',
  path: '',
  tag: 'inner',
  auth: false,
  runs: 'reader',
  status: 200,
  summary: 'Samples of metrics about what several processes share',
})
