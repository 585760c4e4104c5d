/** How often each value occurs among the records at hand: asked for when a panel opens. */
import type { CountsBody, RecordCounts } from '@postil/domain/search/counts'
import type { Api } from '../../../api.ts'
import type { FilterOption } from '../../../questions/filters.ts'
import type { Criteria, FilterTarget } from './criteria.ts'
import { withFilter } from './edit-filters.ts'
import { type Bounds, isSameTarget } from './offers.ts'
import { toFilters } from './search-body.ts'

type CountTarget = NonNullable<CountsBody['of']>[number]
export type TargetCounts = RecordCounts['targets'][number]

function toCountTarget({ of, name, property }: FilterTarget): CountTarget[] {
  if (name === null || of === 'record') return []
  if (of === 'metadata') return [{ entity: 'metadata', metadata_property: name }]
  return of === 'response' ? [{ entity: 'response', question: name }] : [{ entity: 'suggestion', question: name, property }]
}

/** Of what the criteria find, but without a target's own filter: the values that could be chosen instead are of interest. */
export function toCountsBody({ queue, search, filters }: Criteria, targets: readonly FilterTarget[]): CountsBody {
  const conditions = filters.flatMap(toFilters)
  return {
    ...(search ? { query: { text: { q: search.text, ...(search.field === null ? {} : { field: search.field }) } } } : {}),
    ...(conditions.length > 0 ? { filters: { and: conditions } } : {}),
    response_status: queue,
    of: targets.flatMap(toCountTarget),
    exclude_own: true,
  }
}

export interface PanelCounts {
  total: number
  of(target: FilterTarget): TargetCounts | null
}

export async function loadCounts(
  api: Api,
  datasetId: string,
  criteria: Criteria,
  targets: readonly FilterTarget[],
  signal: AbortSignal,
): Promise<PanelCounts> {
  const params = { dataset_id: datasetId }
  const { total, targets: counted } = await api.countMyRecords({ params, body: toCountsBody(criteria, targets) }, { signal })
  return { total, of: target => counted[targets.findIndex(one => isSameTarget(one, target))] ?? null }
}

export interface Presence {
  yes: number
  no: number
}

/** How many have it and how many have not, of what everything else finds. */
export async function loadPresence(
  api: Api,
  datasetId: string,
  criteria: Criteria,
  target: FilterTarget,
  signal: AbortSignal,
): Promise<Presence> {
  const params = { dataset_id: datasetId }
  async function count(exists: boolean): Promise<number> {
    const filters = withFilter(criteria.filters, target, { kind: 'exists', exists })
    return (await api.countMyRecords({ params, body: toCountsBody({ ...criteria, filters }, []) }, { signal })).total
  }
  const [yes, no] = await Promise.all([count(true), count(false)])
  return { yes, no }
}

export interface CountedOption extends FilterOption {
  /** Null: not known (yet). */
  count: number | null
}

/** Known options in their own order, then what else occurs, then what was chosen but occurs nowhere. */
export function countedOptions(
  options: readonly FilterOption[],
  chosen: readonly string[],
  counts: TargetCounts | null,
): CountedOption[] {
  const values = counts && 'values' in counts ? counts.values : null
  const byValue = new Map(values?.map(({ value, count }) => [value, count]))
  const listed = new Set(options.map(({ value }) => value))
  const others = [...(values ?? []).map(({ value }) => value), ...chosen].filter(value => !listed.has(value))
  return [...options, ...[...new Set(others)].map(value => ({ value, text: value }))].map(option => ({
    ...option,
    count: values ? (byValue.get(option.value) ?? 0) : null,
  }))
}

export interface Bar {
  from: number
  to: number
  count: number
}

/** For the bars above a range: buckets of numbers, or one bar for each rating. */
export function toBars(counts: TargetCounts | null, bounds: Bounds | null): Bar[] {
  if (counts === null) return []
  if ('buckets' in counts) return counts.buckets
  if (bounds === null) return []
  const byValue = new Map(counts.values.map(({ value, count }) => [Number(value), count]))
  return Array.from({ length: bounds.max - bounds.min + 1 }, (_, i) => {
    const value = bounds.min + i
    return { from: value, to: value, count: byValue.get(value) ?? 0 }
  })
}

/** The ends of all data, not only of what is found. Null where there is none. */
export function toBounds(bars: readonly Bar[]): Bounds | null {
  const [first, last] = [bars[0], bars.at(-1)]
  return first && last ? { min: first.from, max: last.to } : null
}
