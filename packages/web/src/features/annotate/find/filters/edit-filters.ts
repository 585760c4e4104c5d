/** Edits filters. Each target has at most one filter: a new one replaces it. */
import type { CriteriaFilter, FilterTarget, FilterValue } from '../query/criteria.ts'
import { type FilterCategory, type FilterPart, isSameTarget } from './offers.ts'

type Filters = readonly CriteriaFilter[]
type Terms = Extract<FilterValue, { kind: 'terms' }>

export const valueOn = (filters: Filters, target: FilterTarget): FilterValue | null =>
  filters.find(filter => isSameTarget(filter.target, target))?.value ?? null

/** True for a filter without conditions, which is removed. */
function isEmpty(value: FilterValue): boolean {
  if (value.kind === 'terms') return value.values.length === 0
  return value.kind !== 'exists' && value.from === null && value.to === null
}

/** Replaces an existing filter in place, otherwise appends it, so that badges do not move. */
export function withFilter(filters: Filters, target: FilterTarget, value: FilterValue | null): CriteriaFilter[] {
  if (value === null || isEmpty(value)) return filters.filter(filter => !isSameTarget(filter.target, target))
  const isThere = filters.some(filter => isSameTarget(filter.target, target))
  if (!isThere) return [...filters, { target, value }]
  return filters.map(filter => (isSameTarget(filter.target, target) ? { target, value } : filter))
}

export const withoutCategory = (filters: Filters, { parts }: Pick<FilterCategory, 'parts'>): CriteriaFilter[] =>
  filters.filter(({ target }) => !parts.some(part => isSameTarget(part.target, target)))

export const filtersIn = (filters: Filters, { parts }: Pick<FilterCategory, 'parts'>): CriteriaFilter[] =>
  filters.filter(({ target }) => parts.some(part => isSameTarget(part.target, target)))

export const termsOf = (value: FilterValue | null): Terms => (value?.kind === 'terms' ? value : { kind: 'terms', values: [] })

export function withTerm(values: readonly string[], term: string, isOn: boolean): string[] {
  const others = values.filter(one => one !== term)
  return isOn ? [...others, term] : others
}

export interface Ends {
  from: number | null
  to: number | null
}

/** An end at or beyond the bounds is open (null). An end that passes the other one moves it along. */
export function withEnd(
  { from, to }: Ends,
  end: 'from' | 'to',
  value: number | null,
  bounds: { min: number; max: number } | null,
): Ends {
  const isCrossed = value !== null && (end === 'from' ? to !== null && value > to : from !== null && value < from)
  const other = isCrossed ? value : end === 'from' ? to : from
  const open = (number: number | null, edge: number | undefined, isPast: (a: number, b: number) => boolean) =>
    number === null || (edge !== undefined && isPast(number, edge)) ? null : number
  const [low, high] = end === 'from' ? [value, other] : [other, value]
  return { from: open(low, bounds?.min, (a, b) => a <= b), to: open(high, bounds?.max, (a, b) => a >= b) }
}

/** Step of a slider: a power of ten, about a hundredth of the range, so that both ends of integer ranges can be reached. */
export function stepOf({ min, max }: { min: number; max: number }, isWhole: boolean): number {
  if (isWhole) return 1
  const width = max - min
  return width > 0 ? 10 ** Math.floor(Math.log10(width / 50)) : 1
}

/** Slider limits rounded to whole steps, so that both ends of the data can be reached. */
export function sliderBounds({ min, max }: { min: number; max: number }, step: number): { min: number; max: number } {
  const round = (value: number) => Number(value.toPrecision(12))
  return { min: round(Math.floor(round(min / step)) * step), max: round(Math.ceil(round(max / step)) * step) }
}

/** Targets that the server counts for a panel; `exists` and date filters need no counts. */
export const countedTargets = (parts: readonly FilterPart[]): FilterTarget[] =>
  parts.filter(({ control }) => control === 'terms' || control === 'range').map(({ target }) => target)
