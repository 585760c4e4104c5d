import { allow } from '@postil/domain/errors'
import { canCreateResponse, canWriteRecords } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'

/** Checks permissions before the body is read. `createBulkJob` and the writer check them again. */
export const admitMember = {
  admit: async (ctx: RequestContext, { dataset_id }: { dataset_id: Id }): Promise<void> =>
    allow(canCreateResponse(ctx.actor, await loadDataset(ctx.db, dataset_id))),
}

/** Same as `admitMember`, for deleting records. */
export const admitWriter = {
  admit: async (ctx: RequestContext, { dataset_id }: { dataset_id: Id }): Promise<void> =>
    allow(canWriteRecords(ctx.actor, await loadDataset(ctx.db, dataset_id))),
}
