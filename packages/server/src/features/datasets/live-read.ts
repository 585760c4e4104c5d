/**
 * Internal routes that read data for a dataset's event streams, for all connected users in one call. They are not part of the API
 * and cannot be called from outside.
 */
import { route } from '@postil/domain/api/route'
import { DatasetProgress, MyDatasetMetrics } from '@postil/domain/datasets'
import { Dictionary, Id, Int, List, Shape, type Static } from '@postil/domain/schema'
import type { Notice } from '../../events/emit.ts'

const LiveOfUsers = Shape({ progress: DatasetProgress, metrics: Dictionary(MyDatasetMetrics) })
/** Overall progress, and metrics by user. */
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
  /** Number of the last entry read. */
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
