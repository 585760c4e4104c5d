/** SQL for progress: who responded, and how many responses there are of each status. */
import type { Contributor } from '@postil/domain/dataset-includes'
import type { RecordStatus } from '@postil/domain/distribution'
import type { ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../../storage/database.ts'
import { DATASET_NO } from '../../storage/dataset-numbers.ts'
import { IS_AUTHOR, PSEUDONYM } from '../../storage/deleted-users.ts'

/**
 * SQL condition for users `u` whose responses are counted in the dataset with the entry `d`: members and owners, now or when they
 * responded, and pseudonyms. Responses that a records bulk brought for others are stored, but not counted by user.
 */
const IS_RESPONDER = `(d.never_member is null or u.role in ('owner', '${PSEUDONYM}') or exists (
  select 1 from workspaces_users m join datasets w on w.workspace_id = m.workspace_id
  where m.user_id = u.id and w.id = d.dataset_id))`

/**
 * Lists all users who ever responded in one of the datasets, in the order of their first response. Existing clients expect that
 * this includes users who are named in a records bulk and were never members.
 */
export function listContributors(db: Queryable, datasetIds: readonly Id[]): Promise<(Contributor & { dataset_id: Id })[]> {
  return db.sql.all(
    `select d.dataset_id, u.id, u.username, u.first_name, u.last_name
     from datasets_users d join users u on u.id = d.user_id
     where d.dataset_id in (${marks(datasetIds)}) order by d.inserted_at, u.inserted_at, u.id`,
    datasetIds,
  )
}

export interface UserResponseCount {
  username: string
  record_status: RecordStatus
  response_status: ResponseStatus
  count: number
}

/**
 * Counts the responses in a dataset by user, record status and response status. Users are in the order in which their accounts
 * were created.
 */
export function countResponsesByUser(db: Queryable, datasetId: Id): Promise<UserResponseCount[]> {
  return db.sql.all(
    `select u.username, c.record_status, c.response_status, c.count
     from (select p.user_id, r.status as record_status, p.status as response_status, count(*) as count
           from responses p join records r on r.no = p.record_no
           where p.dataset_no = ${DATASET_NO} group by p.user_id, r.status, p.status) c
     join users u on u.id = c.user_id and ${IS_AUTHOR}
     left join datasets_users d on d.dataset_id = ? and d.user_id = u.id
     where ${IS_RESPONDER}
     order by u.inserted_at, u.id`,
    [datasetId, datasetId],
  )
}

export interface StatusCount {
  dataset_id: Id
  status: ResponseStatus
  count: number
}

/** Counts the user's responses in the datasets by status; statuses without responses are absent. */
export function countResponsesOf(db: Queryable, datasetIds: readonly Id[], userId: Id): Promise<StatusCount[]> {
  return db.sql.all(
    `select h.dataset_id, p.status, count(*) as count from dataset_heads h join responses p on p.dataset_no = h.no
     where h.dataset_id in (${marks(datasetIds)}) and p.user_id = ? group by h.dataset_id, p.status`,
    [...datasetIds, userId],
  )
}

/**
 * Counts by dataset the responses that the user submitted since a time, among at most `rowsMax` that changed since then. Reads the
 * end of an index.
 */
export function countSubmittedSince(
  db: Queryable,
  datasetIds: readonly Id[],
  { userId, since, rowsMax }: { userId: Id; since: string; rowsMax: number },
): Promise<{ dataset_id: Id; today: number }[]> {
  return db.sql.all(
    `select h.dataset_id, (
       select count(*) from (
         select p.status from responses p where p.user_id = ? and p.dataset_no = h.no and p.updated_at >= ?
         order by p.updated_at desc limit ?
       ) as latest where latest.status = 'submitted'
     ) as today from dataset_heads h where h.dataset_id in (${marks(datasetIds)})`,
    [userId, since, rowsMax, ...datasetIds],
  )
}

/** Lists by dataset when the user answered last, oldest first: the answers among the latest `rowsMax` responses, drafts included. */
export function listAnswerTimes(
  db: Queryable,
  datasetIds: readonly Id[],
  { userId, rowsMax }: { userId: Id; rowsMax: number },
): Promise<{ dataset_id: Id; updated_at: string }[]> {
  return db.sql.all(
    `select h.dataset_id, p.updated_at from dataset_heads h join responses p on p.user_id = ? and p.dataset_no = h.no
     where h.dataset_id in (${marks(datasetIds)}) and p.status <> 'draft' and p.updated_at >= coalesce((
       select l.updated_at from responses l where l.user_id = ? and l.dataset_no = h.no
       order by l.updated_at desc limit 1 offset ?
     ), '') order by p.updated_at`,
    [userId, ...datasetIds, userId, rowsMax - 1],
  )
}

/** Counts the responses of some users in a dataset by user and status; statuses without responses are absent. */
export function countResponsesOfUsers(
  db: Queryable,
  datasetId: Id,
  userIds: readonly Id[],
): Promise<(Omit<StatusCount, 'dataset_id'> & { user_id: Id })[]> {
  if (userIds.length === 0) return Promise.resolve([])
  return db.sql.all(
    `select user_id, status, count(*) as count from responses
     where dataset_no = ${DATASET_NO} and user_id in (${marks(userIds)}) group by user_id, status`,
    [datasetId, ...userIds],
  )
}
