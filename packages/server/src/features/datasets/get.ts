import { type DatasetWithIncludes, parseDatasetIncludes } from '@postil/domain/dataset-includes'
import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { includeInDatasets } from './include.ts'
import { toTodayStart } from './my-pace.ts'
import { loadDataset, toDataset } from './store.ts'

/** Returns one dataset with the parts named in `include`. */
export async function getDataset(
  ctx: RequestContext,
  id: Id,
  include?: readonly string[],
  utcOffset?: number,
): Promise<DatasetWithIncludes> {
  if (include === undefined) return toDataset(await loadReadable(ctx, ctx.db, id))
  return ctx.db.snapshot(async db => {
    const dataset = await loadReadable(ctx, db, id)
    const todayStart = toTodayStart(ctx.now(), utcOffset)
    const [included] = await includeInDatasets(db, ctx.actor, [dataset], parseDatasetIncludes(include), todayStart)
    return included ?? toDataset(dataset)
  })
}

async function loadReadable(ctx: RequestContext, db: Queryable, id: Id) {
  const dataset = await loadDataset(db, id)
  allow(canReadDataset(ctx.actor, dataset))
  return dataset
}
