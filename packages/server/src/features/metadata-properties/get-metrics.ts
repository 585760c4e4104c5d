import { allow } from '@postil/domain/errors'
import { metadataTypeOf } from '@postil/domain/metadata/registry'
import type { MetadataMetrics } from '@postil/domain/metadata-properties'
import { canSeeMetadataProperty } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'
import { countTerms, findBounds, listTopTerms, loadMetadataProperty } from './store.ts'

const TERMS_MAX = 16_384
const DECIMALS_MAX = 5

/** The terms with their counts, or the smallest and the largest number, over all records. */
export async function getMetadataPropertyMetrics(ctx: RequestContext, id: Id): Promise<MetadataMetrics> {
  const property = await loadMetadataProperty(ctx.db, id)
  allow(canSeeMetadataProperty(ctx.actor, await loadDataset(ctx.db, property.dataset_id), property))

  return ctx.db.snapshot(async db => {
    const { settings, no } = property
    if (metadataTypeOf(settings).searchAs === 'keyword') {
      return { type: 'terms', total: await countTerms(db, no), values: await listTopTerms(db, no, TERMS_MAX) }
    }
    const { min, max } = await findBounds(db, no)
    return { type: settings.type, min: rounded(min), max: rounded(max) } as MetadataMetrics
  })
}

/** Values are kept in 32 bits, and what is behind the fifth decimal is mostly noise of that. Integers pass unchanged. */
const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(DECIMALS_MAX)))
