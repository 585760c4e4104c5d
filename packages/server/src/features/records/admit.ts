/** Rights that the path alone decides; the use cases check them again, in their transactions. */
import { allow } from '@postil/domain/errors'
import { type Actor, canListRecords, canSearchOwnRecords, canWriteRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset, loadDatasetOf } from '../datasets/store.ts'
import { loadRecord } from './store.ts'

const ofDataset =
  (can: (actor: Actor, dataset: { workspace_id: Id }) => boolean) =>
  async (ctx: RequestContext, { dataset_id }: { dataset_id: Id }): Promise<void> =>
    allow(can(ctx.actor, await loadDataset(ctx.db, dataset_id)))

export const admitWriter = { admit: ofDataset(canWriteRecords) }
export const admitReader = { admit: ofDataset(canListRecords) }
export const admitMember = { admit: ofDataset(canSearchOwnRecords) }

export const admitWriterOfRecord = {
  admit: async (ctx: RequestContext, { record_id }: { record_id: Id }): Promise<void> =>
    allow(canWriteRecords(ctx.actor, await loadDatasetOf(ctx.db, await loadRecord(ctx.db, record_id)))),
}
