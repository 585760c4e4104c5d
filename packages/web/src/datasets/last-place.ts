/** Where a person was at work last, in this browser: a dataset and the query of its address. */
import type { RouteLocation } from 'vue-router'
import type { Items } from '../storage/items.ts'

export interface LastPlace {
  datasetId: string
  /** Without the question mark. */
  query: string
}

const NAME = 'last-place'

/** Storage may hold anything: what is not a place is none. */
export function readLastPlace(items: Items): LastPlace | null {
  const stored = items.read(NAME)
  if (typeof stored !== 'object' || stored === null || !('datasetId' in stored && 'query' in stored)) return null
  const { datasetId, query } = stored
  return typeof datasetId === 'string' && typeof query === 'string' ? { datasetId, query } : null
}

/** Keeps nothing for null: the person is not at work. */
export function keepLastPlace(items: Items, place: LastPlace | null): void {
  if (place !== null) items.keep(NAME, place)
}

/** The place that a route shows. While a page is being left, the route is already the next one's. */
export const placeOf = ({ name, params, fullPath }: Pick<RouteLocation, 'name' | 'params' | 'fullPath'>) =>
  name === 'annotate' ? { datasetId: String(params.id), query: new URL(fullPath, 'http://place').search.slice(1) } : null
