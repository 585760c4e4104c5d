/** Where a person was at work last, in this browser: a dataset and the query of its address. */
import type { RouteLocation } from 'vue-router'

export interface LastPlace {
  datasetId: string
  /** Without the question mark. */
  query: string
}

const keyOf = (userId: string) => `postil.last.${userId}`

/** Storage may hold anything: what is not a place is none. */
export function readLastPlace(userId: string): LastPlace | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? 'null')
    if (typeof stored !== 'object' || stored === null || !('datasetId' in stored && 'query' in stored)) return null
    const { datasetId, query } = stored
    return typeof datasetId === 'string' && typeof query === 'string' ? { datasetId, query } : null
  } catch {
    return null
  }
}

/** Keeps nothing for null: the person is not at work. */
export function keepLastPlace(userId: string, place: LastPlace | null): void {
  if (place !== null) localStorage.setItem(keyOf(userId), JSON.stringify(place))
}

/** The place that a route shows. While a page is being left, the route is already the next one's. */
export const placeOf = ({ name, params, fullPath }: Pick<RouteLocation, 'name' | 'params' | 'fullPath'>) =>
  name === 'annotate' ? { datasetId: String(params.id), query: new URL(fullPath, 'http://place').search.slice(1) } : null
