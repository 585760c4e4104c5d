/** What the annotation page shows first, asked for at once instead of one after the other. */
import type { RouteLocationNormalized } from 'vue-router'
import { askDataset } from '../../datasets/dataset-bundle.ts'
import type { Asker } from '../../session/session.ts'
import { askRecords } from './find/fetch-records.ts'
import { readCriteria, readPlace } from './find/url-state.ts'
import { WINDOW_SIZE, windowStart } from './first-window.ts'

export function askFirst(asker: Asker, { params, query }: RouteLocationNormalized): void {
  const datasetId = String(params.id)
  askDataset(asker, datasetId)
  const { bulkSize, position } = readPlace(query)
  // The list of many reads its own pages.
  if (bulkSize === null) askRecords(asker, datasetId, readCriteria(query), windowStart(position), WINDOW_SIZE)
}
