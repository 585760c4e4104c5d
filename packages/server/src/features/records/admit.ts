/** Permission checks that only need the path. The use cases repeat them in their transactions. */
import { allow } from '@postil/domain/errors'
import { type Actor, canListRecords, canSearchOwnRecords, canWriteRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset, loadDatasetOf } from '../datasets/store.ts'
import { loadRecord } from './store.ts'

interface CachedWorkspace {
  workspace_id: Id
  until: number
}

/** How long the workspace of a dataset is cached. It never changes; if the dataset was deleted, the use case reports it. */
const CACHE_MS = 1_000

const ofDataset =
  (can: (actor: Actor, dataset: { workspace_id: Id }) => boolean) =>
  async (ctx: RequestContext, { dataset_id }: { dataset_id: Id }): Promise<void> => {
    const key = `workspace of ${dataset_id}`
    const known = ctx.db.cache.get(key) as CachedWorkspace | undefined
    if (known && performance.now() < known.until && can(ctx.actor, known)) return
    const { workspace_id } = await loadDataset(ctx.db, dataset_id)
    ctx.db.cache.set(key, { workspace_id, until: performance.now() + CACHE_MS } satisfies CachedWorkspace)
    allow(can(ctx.actor, { workspace_id }))
  }

export const admitWriter = { admit: ofDataset(canWriteRecords) }
export const admitReader = { admit: ofDataset(canListRecords) }
export const admitMember = { admit: ofDataset(canSearchOwnRecords) }

export const admitWriterOfRecord = {
  admit: async (ctx: RequestContext, { record_id }: { record_id: Id }): Promise<void> =>
    allow(canWriteRecords(ctx.actor, await loadDatasetOf(ctx.db, await loadRecord(ctx.db, record_id)))),
}
