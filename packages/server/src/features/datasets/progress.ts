/** Progress and metrics of datasets, computed from the stored totals and from response counts. */
import type { Contributor } from '@postil/domain/dataset-includes'
import type { DatasetMetrics, DatasetProgress } from '@postil/domain/datasets'
import type { StatusCount } from './progress-store.ts'
import type { StoredDataset } from './store.ts'

export function toProgress(dataset: StoredDataset, contributors: readonly Contributor[]): DatasetProgress {
  const { records_count: total, completed_count: completed } = dataset
  return { total, completed, pending: total - completed, users: contributors.map(({ username }) => ({ username })) }
}

/**
 * Metrics of one user's responses. All records without a response of this user count as pending, including those completed by
 * others.
 */
export function toMetrics(
  { records_count: total }: StoredDataset,
  counts: readonly Pick<StatusCount, 'status' | 'count'>[],
): DatasetMetrics {
  const of = (wanted: StatusCount['status']) => counts.find(({ status }) => status === wanted)?.count ?? 0
  const [submitted, discarded, draft] = [of('submitted'), of('discarded'), of('draft')]
  const count = submitted + discarded + draft
  return { records: { count: total }, responses: { count, total, submitted, discarded, draft, pending: total - count } }
}
