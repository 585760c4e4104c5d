import { allow } from '@postil/domain/errors'
import { canWriteSuggestions } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDatasetOf } from '../datasets/store.ts'
import { loadRecord } from '../records/store.ts'

/** Checks permissions before the body is read. `putSuggestion` checks them again in its transaction. */
export const admitSuggester = {
  admit: async (ctx: RequestContext, { record_id }: { record_id: Id }): Promise<void> =>
    allow(canWriteSuggestions(ctx.actor, await loadDatasetOf(ctx.db, await loadRecord(ctx.db, record_id)))),
}
