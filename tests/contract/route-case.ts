/** Test cases of one route: a request that succeeds, permissions, and errors. */
import type { ShapeProblemAt } from './answers.ts'
import { type ActorName, NO_ID, type World } from './http.ts'

export interface CaseRequest {
  params?: Record<string, string>
  /** Without the question mark. */
  query?: string
  body?: unknown
  /** In addition to the caller's headers. */
  headers?: Record<string, string>
  /** The caller, if it is not the owner. */
  as?: ActorName
}

interface Invalid {
  query?: string
  body?: unknown
  problems: ShapeProblemAt[]
}

/**
 * Permissions besides owners: `Y` all users, `M` members of the workspace, `-` no other users. `order`: whether existence is
 * checked before permissions.
 */
export interface Permission {
  admin: 'Y' | 'M' | '-'
  annotator: 'Y' | 'M' | '-'
  order?: '404 then 403' | '403 then 404'
}

export interface RouteCases {
  /** Creates what the request needs, so that it succeeds each time. */
  request: (world: World) => Promise<CaseRequest> | CaseRequest
  /** Absent if the route is open to all, or if errors are part of the response items. */
  permission?: Permission
  invalid?: Invalid[]
  /** Path parameters to test with ids that do not exist; all by default. */
  missing?: string[]
  /** Relations that records in the response include. */
  relations?: string[]
}

export const MEMBER_ADMIN: Permission = { admin: 'M', annotator: '-', order: '404 then 403' }
export const MEMBER: Permission = { admin: 'M', annotator: 'M', order: '404 then 403' }
export const OWNER: Permission = { admin: '-', annotator: '-', order: '404 then 403' }
export const OWNER_FIRST: Permission = { admin: '-', annotator: '-', order: '403 then 404' }
export const EVERYBODY: Permission = { admin: 'Y', annotator: 'Y' }

/** Returns the request line of a route. Missing parameters become ids that do not exist. */
export function toRequest(route: { method: string; path: string }, { params = {}, query }: CaseRequest): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? NO_ID))
  return `${route.method} ${path}${query === undefined ? '' : `?${query}`}`
}
