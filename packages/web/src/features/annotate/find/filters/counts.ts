/** Counts of each value among the matching records (facets), loaded when a panel opens. */
import type { CountsBody, RecordCounts } from '@postil/domain/search/counts'
import type { Api } from '../../../../api.ts'
import type { FilterOption } from '../../../../questions/filters.ts'
import type { AnyCriteria, FilterTarget } from '../query/criteria.ts'
import { toFilters } from '../query/search-body.ts'
import { withFilter } from './edit-filters.ts'
import { type Bounds, isSameTarget } from './offers.ts'

type CountTarget = NonNullable<CountsBody['of']>[number]
export type TargetCounts = RecordCounts['targets'][number]

function toCountTarget({ of, name, property }: FilterTarget): CountTarget[] {
  if (name === null || of === 'record') return []
  if (of === 'metadata') return [{ entity: 'metadata', metadata_property: name }]
  return of === 'response' ? [{ entity: 'response', question: name }] : [{ entity: 'suggestion', question: name, property }]
}

/** Counts the matching records without the target's own filter, so that the other values that could be chosen are counted too. */
export function toCountsBody({ queue, search, filters }: AnyCriteria, targets: readonly FilterTarget[]): CountsBody {
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
  criteria: AnyCriteria,
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

/** Counts the records with and without a value, among those that match all other criteria. */
export async function loadPresence(
  api: Api,
  datasetId: string,
  criteria: AnyCriteria,
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
  /** Null if unknown or not loaded yet. */
  count: number | null
}

/** Returns the known options in their own order, then other values that occur, then chosen values that do not occur. */
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

/** Bars above a range: buckets of numbers, or one bar per rating. */
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

/** Returns the limits of all data, not only of the matching records; null if there is no data. */
export function toBounds(bars: readonly Bar[]): Bounds | null {
  const [first, last] = [bars[0], bars.at(-1)]
  return first && last ? { min: first.from, max: last.to } : null
}
