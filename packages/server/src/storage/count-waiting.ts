/**
 * How many records wait for somebody: not completed, and without a response of theirs. Read by search and by progress.
 *
 * Totals of a dataset are kept; what has to be counted are the user's responses to records that are not completed. They are
 * found from their responses, from the pending records or from the completed ones, whichever are fewest.
 */
import type { Id } from '@postil/domain/schema'
import { marks, type Param, type Queryable } from './database.ts'
import { DATASET_NO } from './dataset-numbers.ts'

export interface WaitingTotals {
  id: Id
  records_count: number
  completed_count: number
  min_submitted: number
  /** How many responses the user has in it; null where one submitted response completes a record, and it was not counted. */
  responses: number | null
}

type Way = 'none' | 'responses' | 'pending' | 'completed'

/** By dataset, with one statement for all of them. */
export async function countWaiting(db: Queryable, datasets: readonly WaitingTotals[], userId: Id): Promise<Map<Id, number>> {
  const ways = new Map(datasets.map(dataset => [dataset.id, chooseWay(dataset)]))
  const idsBy = (way: Way, isSingle = false) =>
    datasets.filter(({ id, min_submitted }) => ways.get(id) === way && (min_submitted === 1) === isSingle).map(({ id }) => id)
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
      return [id, records_count - completed_count - (ways.get(id) === 'completed' ? (responses ?? 0) - count : count)]
    }),
  )
}

/** For several users of one dataset, given how many responses each has in it; with one statement for all of them. */
export async function countWaitingOfUsers(
  db: Queryable,
  dataset: Omit<WaitingTotals, 'responses'>,
  responsesByUser: ReadonlyMap<Id, number>,
): Promise<Map<Id, number>> {
  const { id, records_count, completed_count, min_submitted } = dataset
  const ways = new Map(Array.from(responsesByUser, ([userId, responses]) => [userId, chooseWay({ ...dataset, responses })]))
  const usersBy = (wanted: Way) => [...ways].filter(([, way]) => way === wanted).map(([userId]) => userId)
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
      return [userId, pending - (ways.get(userId) === 'completed' ? responses - count : count)]
    }),
  )
}

/** Looking a record up by a response costs about twice as much as a response by a record, which an index answers. */
function chooseWay({ records_count, completed_count, min_submitted, responses }: WaitingTotals): Way {
  const pending = records_count - completed_count
  if (responses === 0 || pending === 0) return 'none'
  if (min_submitted === 1 || (responses ?? 0) * 2 <= Math.min(pending, completed_count)) return 'responses'
  return pending <= completed_count ? 'pending' : 'completed'
}

interface Part {
  text: string
  params: Param[]
}

/** Where one submitted response completes a record, no pending one has any: only the other statuses are looked at. */
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

/** `cross join` makes SQLite begin with the records, which are few here. */
function fromRecordsOfUsers(datasetId: Id, userIds: readonly Id[], status: 'pending' | 'completed'): Part | null {
  if (userIds.length === 0) return null
  const text = `select p.user_id, count(*) as count from records r cross join responses p
    where r.dataset_no = ${DATASET_NO} and r.status = ? and p.record_no = r.no and p.user_id in (${marks(userIds)})
    group by p.user_id`
  return { text, params: [datasetId, status, ...userIds] }
}
