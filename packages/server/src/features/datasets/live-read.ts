/** What event streams of a dataset need, read for all of their users at once. Served, but not contracts: nobody can call them from outside. */
import { route } from '@postil/domain/api/route'
import { DatasetProgress, MyDatasetMetrics } from '@postil/domain/datasets'
import { Dictionary, Id, Int, List, Shape, type Static } from '@postil/domain/schema'
import type { Notice } from '../../events/emit.ts'

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

export interface LiveChanges {
  notices: Notice[]
  /** The entry that is reached. */
  next: number
}

export const readLiveChanges = route({
  id: 'readLiveChanges',
  method: 'POST',
  path: '',
  tag: 'inner',
  auth: false,
  runs: 'reader',
  status: 200,
  summary: 'What entries of the change log say to those who have the dataset open',
  body: Shape({ dataset_id: Id, after: Int() }),
})
