/** What metrics say of the database and the search engine. Served, but not a contract: nobody can call it from outside. */
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
