/** Starts the first requests of the annotation page in parallel instead of one after the other. */
import { WINDOW_SIZE, windowStart } from '@postil/domain/api/first-calls'
import type { RouteLocationNormalized } from 'vue-router'
import { requestDataset } from '../../datasets/dataset-bundle.ts'
import type { ApiContext } from '../../session/session.ts'
import { readCriteria, readPlace } from './find/query/url-state.ts'
import { askRecords } from './queue/fetch-records.ts'

export function askFirst(asker: ApiContext, { params, query }: RouteLocationNormalized): void {
  const datasetId = String(params.id)
  requestDataset(asker, datasetId)
  const { bulkSize, position } = readPlace(query)
  // The bulk view loads its own pages.
  if (bulkSize === null) askRecords(asker, datasetId, readCriteria(query), windowStart(position), WINDOW_SIZE)
}
