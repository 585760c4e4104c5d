import type { MyDatasetMetrics } from '@postil/domain/datasets'
import type { Id } from '@postil/domain/schema'
import { countWaiting, countWaitingOfUsers } from '../../storage/count-waiting.ts'
import type { Queryable } from '../../storage/database.ts'
import { toMetrics } from './progress.ts'
import { countResponsesOf, countResponsesOfUsers } from './progress-store.ts'
import type { StoredDataset } from './store.ts'

/** Loads a user's metrics and remaining records in each of these datasets, with two statements for any number of datasets. */
export async function loadMyMetrics(
  db: Queryable,
  datasets: readonly StoredDataset[],
  userId: Id,
): Promise<(dataset: StoredDataset) => MyDatasetMetrics> {
  const ids = datasets.map(({ id }) => id)
  const counts = Map.groupBy(await countResponsesOf(db, ids, userId), row => row.dataset_id)
  const metricsOf = (dataset: StoredDataset) => toMetrics(dataset, counts.get(dataset.id) ?? [])
  const totals = datasets.map(dataset => {
    const { id, records_count, completed_count, distribution } = dataset
    const { min_submitted } = distribution
    return { id, records_count, completed_count, min_submitted, responses: metricsOf(dataset).responses.count }
  })
  const waiting = await countWaiting(db, totals, userId)
  return dataset => ({ ...metricsOf(dataset), pending_for_me: waiting.get(dataset.id) ?? 0 })
}

/** Loads each user's metrics in a dataset, with two statements for any number of users. */
export async function loadMetricsOfUsers(
  db: Queryable,
  dataset: StoredDataset,
  userIds: readonly Id[],
): Promise<Map<Id, MyDatasetMetrics>> {
  const counts = Map.groupBy(await countResponsesOfUsers(db, dataset.id, userIds), row => row.user_id)
  const metrics = new Map(userIds.map(userId => [userId, toMetrics(dataset, counts.get(userId) ?? [])]))
  const { id, records_count, completed_count, distribution } = dataset
  const totals = { id, records_count, completed_count, min_submitted: distribution.min_submitted }
  const responses = new Map(Array.from(metrics, ([userId, own]) => [userId, own.responses.count]))
  const waiting = await countWaitingOfUsers(db, totals, responses)
  return new Map(Array.from(metrics, ([userId, own]) => [userId, { ...own, pending_for_me: waiting.get(userId) ?? 0 }]))
}
