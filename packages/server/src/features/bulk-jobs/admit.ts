import { allow } from '@postil/domain/errors'
import { canCreateResponse } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'

/** Before the body is read; `createBulkJob` checks it again, and so does the writer. */
export const admitMember = {
  admit: async (ctx: RequestContext, { dataset_id }: { dataset_id: Id }): Promise<void> =>
    allow(canCreateResponse(ctx.actor, await loadDataset(ctx.db, dataset_id))),
}
