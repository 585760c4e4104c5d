/** What the annotation page shows first, asked for at once instead of one after the other. */
import type { RouteLocationNormalized } from 'vue-router'
import { askDataset } from './dataset-bundle.ts'
import { askRecords } from './find/fetch-records.ts'
import { readCriteria, readPlace } from './find/url-state.ts'
import { WINDOW_SIZE, windowStart } from './first-window.ts'

export function askFirst({ params, query }: RouteLocationNormalized): void {
  const datasetId = String(params.id)
  askDataset(datasetId)
  const { bulkSize, position } = readPlace(query)
  // The list of many reads its own pages.
  if (bulkSize === null) askRecords(datasetId, readCriteria(query), windowStart(position), WINDOW_SIZE)
}
