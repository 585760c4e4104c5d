/** Remaining work of the user: datasets with pending records, first the one they left last, then by last activity. */
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import type { LastPlace } from './last-place.ts'

export interface WorkItem {
  dataset: DatasetWithIncludes
  /** Number of records that the user has not answered and the team has not completed. */
  left: number
  drafts: number
  /** Query string of the page where the user stopped; null if they last worked on another dataset. */
  lastQuery: string | null
}

const ITEMS_MAX = 3

export function listMyWork(datasets: readonly DatasetWithIncludes[], last: LastPlace | null): WorkItem[] {
  const isLast = (dataset: DatasetWithIncludes) => dataset.id === last?.datasetId
  return datasets
    .filter(({ metrics }) => (metrics?.pending_for_me ?? 0) > 0)
    .sort((a, b) => Number(isLast(b)) - Number(isLast(a)) || (a.last_activity_at < b.last_activity_at ? 1 : -1))
    .slice(0, ITEMS_MAX)
    .map(dataset => ({
      dataset,
      left: dataset.metrics?.pending_for_me ?? 0,
      drafts: dataset.metrics?.responses.draft ?? 0,
      lastQuery: last && isLast(dataset) ? last.query : null,
    }))
}
