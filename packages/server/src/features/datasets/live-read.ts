/** What event streams of a dataset need, read for all of their users at once. Served, but not a contract: nobody can call it from outside. */
import { route } from '@postil/domain/api/route'
import { DatasetProgress, MyDatasetMetrics } from '@postil/domain/datasets'
import { Dictionary, Id, List, Shape, type Static } from '@postil/domain/schema'

const LiveOfUsers = Shape({ progress: DatasetProgress, metrics: Dictionary(MyDatasetMetrics) })
/** Progress of all, and metrics by user. */
export type LiveOfUsers = Static<typeof LiveOfUsers>

export const readLiveOfUsers = route({
  id: 'readLiveOfUsers',
  method: 'POST',
  path: '',
  tag: 'inner',
  auth: false,
  runs: 'reader',
  status: 200,
  summary: 'Progress of a dataset, and metrics of some users in it',
  body: Shape({ dataset_id: Id, user_ids: List(Id, { maxItems: 200 }) }),
  response: LiveOfUsers,
})
