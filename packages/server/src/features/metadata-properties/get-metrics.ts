import { allow } from '@postil/domain/errors'
import type { MetadataMetrics, MetadataProperty } from '@postil/domain/metadata-properties'
import { canSeeMetadataProperty } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import { type CountQuery, resolveCounts, type TargetCount } from '@postil/domain/search/counts'
import type { RequestContext } from '../../context.ts'
import { type DatasetSettings, loadDatasetSettings, toSearchedDataset } from '../datasets/settings.ts'
import { loadDataset } from '../datasets/store.ts'
import { askEngine } from '../records/ask-engine.ts'
import { toSearchDataset } from '../records/search-dataset.ts'
import { loadMetadataProperty } from './store.ts'

const TERMS_MAX = 16_384
const DECIMALS_MAX = 5

/** Returns the terms with their counts, or the minimum and maximum, over all records. */
export function getMetadataPropertyMetrics(ctx: RequestContext, id: Id): Promise<MetadataMetrics> {
  return askEngine(ctx, ctx.db.snapshot, async db => {
    const property = await loadMetadataProperty(db, id)
    const dataset = await loadDataset(db, property.dataset_id)
    allow(canSeeMetadataProperty(ctx.actor, dataset, property))

    const settings = await loadDatasetSettings(db, dataset)
    const query = toCountQuery(ctx, settings, property)
    return async () => toMetrics(property, (await ctx.search.count(toSearchedDataset(dataset, settings), query)).targets[0])
  })
}

/** Counts the values of one property over all records, without filters. */
function toCountQuery(ctx: RequestContext, settings: DatasetSettings, { name }: MetadataProperty): CountQuery {
  const options = { userId: ctx.actor.id, hidesMetadata: false, now: ctx.now() }
  const of = [{ entity: 'metadata' as const, metadata_property: name }]
  const query = resolveCounts({ of }, toSearchDataset(settings), options)
  return { ...query, queues: [], targets: query.targets.map(target => ({ ...target, valuesMax: TERMS_MAX })) }
}

function toMetrics({ settings: { type } }: MetadataProperty, count: TargetCount | undefined): MetadataMetrics {
  if (count === undefined) throw new Error('the search engine did not count the property')
  if ('buckets' in count) return { type, min: rounded(count.min), max: rounded(count.max) } as MetadataMetrics
  const listed = count.values.reduce((sum, { count }) => sum + count, 0)
  const values = count.values.map(({ value, count }) => ({ term: value, count }))
  return { type: 'terms', total: listed + count.other, values }
}

/** Values are stored as 32-bit floats, so digits after the fifth decimal are mostly rounding noise. Integers remain unchanged. */
const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(DECIMALS_MAX)))
