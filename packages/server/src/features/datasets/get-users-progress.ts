import type { DatasetUsersProgress } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { countResponsesByUser } from './progress-store.ts'
import { loadDataset } from './store.ts'

export async function getDatasetUsersProgress(ctx: RequestContext, id: Id): Promise<DatasetUsersProgress> {
  const dataset = await loadDataset(ctx.db, id)
  allow(canReadDataset(ctx.actor, dataset))

  const users = new Map<string, DatasetUsersProgress['users'][number]>()
  for (const { username, record_status, response_status, count } of await countResponsesByUser(ctx.db, id)) {
    const user = users.get(username) ?? { username, completed: noResponses(), pending: noResponses() }
    user[record_status][response_status] = count
    users.set(username, user)
  }
  return { users: [...users.values()] }
}

const noResponses = () => ({ submitted: 0, discarded: 0, draft: 0 })
