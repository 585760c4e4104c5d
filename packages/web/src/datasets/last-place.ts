/** Where the user last worked in this browser: a dataset and the query string of its page. */
import type { RouteLocation } from 'vue-router'
import type { Items } from '../storage/items.ts'

export interface LastPlace {
  datasetId: string
  /** Without the leading question mark. */
  query: string
}

const NAME = 'last-place'

/** Returns null if the stored value is missing or invalid. */
export function readLastPlace(items: Items): LastPlace | null {
  const stored = items.read(NAME)
  if (typeof stored !== 'object' || stored === null || !('datasetId' in stored && 'query' in stored)) return null
  const { datasetId, query } = stored
  return typeof datasetId === 'string' && typeof query === 'string' ? { datasetId, query } : null
}

/** Stores the place. Does nothing for null, which means that the current page is not an annotation page. */
export function storeLastPlace(items: Items, place: LastPlace | null): void {
  if (place !== null) items.keep(NAME, place)
}

/**
 * Returns the place that a route shows, or null. While a page is being left, the current route is already that of the next page.
 */
export const placeOf = ({ name, params, fullPath }: Pick<RouteLocation, 'name' | 'params' | 'fullPath'>) =>
  name === 'annotate' ? { datasetId: String(params.id), query: new URL(fullPath, 'http://place').search.slice(1) } : null
