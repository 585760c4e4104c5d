import type { Id } from '@postil/domain/schema'
import { marks, type Queryable } from '../storage/database.ts'

interface NamedMembership {
  user_id: Id
  /** Name of the workspace. */
  name: string
}

const USERS_PER_QUERY = 1_000

/** Returns the workspaces of these users, oldest workspace first. */
export async function listMembershipsOf(db: Queryable, userIds: readonly Id[]): Promise<NamedMembership[]> {
  const found: NamedMembership[] = []
  for (let start = 0; start < userIds.length; start += USERS_PER_QUERY) {
    const some = userIds.slice(start, start + USERS_PER_QUERY)
    const text = `select m.user_id, w.name from workspaces_users m join workspaces w on w.id = m.workspace_id
      where m.user_id in (${marks(some)}) order by w.inserted_at, w.id`
    found.push(...(await db.sql.all<NamedMembership>(text, some)))
  }
  return found
}
