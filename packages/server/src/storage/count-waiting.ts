/**
 * Counts the records that wait for a user: not completed, and without a response of the user. Used by search and progress.
 *
 * The totals of a dataset are stored, so only the user's responses to pending records must be counted. The query starts from the
 * user's responses, the pending records or the completed records, depending on which set is smallest.
 */
import type { Id } from '@postil/domain/schema'
import { marks, type Param, type Queryable } from './database.ts'
import { DATASET_NO } from './dataset-numbers.ts'

export interface WaitingTotals {
  id: Id
  records_count: number
  completed_count: number
  min_submitted: number
  /** Number of the user's responses in the dataset; may be null if `min_submitted` is 1, because it is then not needed. */
  responses: number | null
}

type CountStrategy = 'none' | 'responses' | 'pending' | 'completed'

/** Returns the counts by dataset, with one statement for all of them. */
export async function countWaiting(db: Queryable, datasets: readonly WaitingTotals[], userId: Id): Promise<Map<Id, number>> {
  const strategies = new Map(datasets.map(dataset => [dataset.id, chooseStrategy(dataset)]))
  const idsBy = (strategy: CountStrategy, isSingle = false) =>
    datasets
      .filter(({ id, min_submitted }) => strategies.get(id) === strategy && (min_submitted === 1) === isSingle)
      .map(({ id }) => id)
  const parts = [
    fromResponses(idsBy('responses', true), userId, ['draft', 'discarded']),
    fromResponses(idsBy('responses'), userId, []),
    fromRecords(idsBy('pending'), userId, 'pending'),
    fromRecords(idsBy('completed'), userId, 'completed'),
  ].filter(part => part !== null)
  const text = parts.map(part => part.text).join(' union all ')
  const params = parts.flatMap(part => part.params)
  const rows = parts.length === 0 ? [] : await db.sql.all<{ dataset_id: Id; count: number }>(text, params)
  const found = new Map(rows.map(row => [row.dataset_id, row.count]))
  return new Map(
    datasets.map(({ id, records_count, completed_count, responses }) => {
      const count = found.get(id) ?? 0
      return [id, records_count - completed_count - (strategies.get(id) === 'completed' ? (responses ?? 0) - count : count)]
    }),
  )
}

/**
 * Returns the counts by user for one dataset, with one statement for all users. `responsesByUser` is the number of responses of
 * each user in it.
 */
export async function countWaitingOfUsers(
  db: Queryable,
  dataset: Omit<WaitingTotals, 'responses'>,
  responsesByUser: ReadonlyMap<Id, number>,
): Promise<Map<Id, number>> {
  const { id, records_count, completed_count, min_submitted } = dataset
  const strategies = new Map(
    Array.from(responsesByUser, ([userId, responses]) => [userId, chooseStrategy({ ...dataset, responses })]),
  )
  const usersBy = (wanted: CountStrategy) =>
    [...strategies].filter(([, strategy]) => strategy === wanted).map(([userId]) => userId)
  const parts = [
    fromResponsesOfUsers(id, usersBy('responses'), min_submitted === 1 ? ['draft', 'discarded'] : []),
    fromRecordsOfUsers(id, usersBy('pending'), 'pending'),
    fromRecordsOfUsers(id, usersBy('completed'), 'completed'),
  ].filter(part => part !== null)
  const text = parts.map(part => part.text).join(' union all ')
  const params = parts.flatMap(part => part.params)
  const rows = parts.length === 0 ? [] : await db.sql.all<{ user_id: Id; count: number }>(text, params)
  const found = new Map(rows.map(row => [row.user_id, row.count]))
  const pending = records_count - completed_count
  return new Map(
    Array.from(responsesByUser, ([userId, responses]) => {
      const count = found.get(userId) ?? 0
      return [userId, pending - (strategies.get(userId) === 'completed' ? responses - count : count)]
    }),
  )
}

/** Finding a record by a response costs about twice as much as finding a response by a record, which needs only an index. */
function chooseStrategy({ records_count, completed_count, min_submitted, responses }: WaitingTotals): CountStrategy {
  const pending = records_count - completed_count
  if (responses === 0 || pending === 0) return 'none'
  if (min_submitted === 1 || (responses ?? 0) * 2 <= Math.min(pending, completed_count)) return 'responses'
  return pending <= completed_count ? 'pending' : 'completed'
}

interface Part {
  text: string
  params: Param[]
}

/** If one submitted response completes a record, pending records have none, so that only the other statuses are checked. */
function fromResponses(ids: readonly Id[], userId: Id, statuses: readonly string[]): Part | null {
  if (ids.length === 0) return null
  const within = statuses.length === 0 ? '' : `and p.status in (${marks(statuses)})`
  const text = `select h.dataset_id, count(*) as count from dataset_heads h join responses p on p.dataset_no = h.no
    where h.dataset_id in (${marks(ids)}) and p.user_id = ? ${within}
      and exists (select 1 from records r where r.no = p.record_no and r.status = 'pending')
    group by h.dataset_id`
  return { text, params: [...ids, userId, ...statuses] }
}

function fromRecords(ids: readonly Id[], userId: Id, status: 'pending' | 'completed'): Part | null {
  if (ids.length === 0) return null
  const text = `select h.dataset_id, count(*) as count from dataset_heads h join records r on r.dataset_no = h.no
    where h.dataset_id in (${marks(ids)}) and r.status = ?
      and exists (select 1 from responses p where p.record_no = r.no and p.user_id = ?)
    group by h.dataset_id`
  return { text, params: [...ids, status, userId] }
}

function fromResponsesOfUsers(datasetId: Id, userIds: readonly Id[], statuses: readonly string[]): Part | null {
  if (userIds.length === 0) return null
  const within = statuses.length === 0 ? '' : `and p.status in (${marks(statuses)})`
  const text = `select p.user_id, count(*) as count from responses p
    where p.dataset_no = ${DATASET_NO} and p.user_id in (${marks(userIds)}) ${within}
      and exists (select 1 from records r where r.no = p.record_no and r.status = 'pending')
    group by p.user_id`
  return { text, params: [datasetId, ...userIds, ...statuses] }
}

/** `cross join` makes SQLite start with the records, which are few here. */
function fromRecordsOfUsers(datasetId: Id, userIds: readonly Id[], status: 'pending' | 'completed'): Part | null {
  if (userIds.length === 0) return null
  const text = `select p.user_id, count(*) as count from records r cross join responses p
    where r.dataset_no = ${DATASET_NO} and r.status = ? and p.record_no = r.no and p.user_id in (${marks(userIds)})
    group by p.user_id`
  return { text, params: [datasetId, status, ...userIds] }
}
