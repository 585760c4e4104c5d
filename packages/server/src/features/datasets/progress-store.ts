/** The SQL behind progress: who gave responses, and how many of each status. */
import type { RecordStatus } from '@postil/domain/distribution'
import type { ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'

/** Everyone who ever gave a response in the dataset, in the order of their first. */
export async function listUsernames(db: Queryable, datasetId: Id): Promise<string[]> {
  const rows = await db.sql.all<{ username: string }>(
    `select u.username from datasets_users d join users u on u.id = d.user_id
     where d.dataset_id = ? order by d.inserted_at, u.inserted_at, u.id`,
    [datasetId],
  )
  return rows.map(row => row.username)
}

export interface UserResponseCount {
  username: string
  record_status: RecordStatus
  response_status: ResponseStatus
  count: number
}

/** Responses in the dataset by user, record status and response status; users in the order of their accounts. */
export function countResponsesByUser(db: Queryable, datasetId: Id): Promise<UserResponseCount[]> {
  return db.sql.all(
    `select u.username, c.record_status, c.response_status, c.count
     from (select p.user_id, r.status as record_status, p.status as response_status, count(*) as count
           from responses p join records r on r.no = p.record_no
           where p.dataset_id = ? group by p.user_id, r.status, p.status) c
     join users u on u.id = c.user_id
     order by u.inserted_at, u.id`,
    [datasetId],
  )
}

/** The user's responses in the dataset by status; statuses without one are absent. */
export async function countResponsesOf(db: Queryable, datasetId: Id, userId: Id): Promise<Map<ResponseStatus, number>> {
  const rows = await db.sql.all<{ status: ResponseStatus; count: number }>(
    'select status, count(*) as count from responses where dataset_id = ? and user_id = ? group by status',
    [datasetId, userId],
  )
  return new Map(rows.map(row => [row.status, row.count]))
}
