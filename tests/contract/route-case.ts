/** What is known of one route: a request that succeeds, who may send it, and what goes wrong with others. */
import type { ShapeProblemAt } from './answers.ts'
import { type ActorName, NO_ID, type World } from './http.ts'

export interface CaseRequest {
  params?: Record<string, string>
  /** Without the question mark. */
  query?: string
  body?: unknown
  /** Beside those of the caller. */
  headers?: Record<string, string>
  /** Who may, when it is not the owner's to do. */
  as?: ActorName
}

interface Invalid {
  query?: string
  body?: unknown
  problems: ShapeProblemAt[]
}

/**
 * Who may, besides owners: `Y` everybody, `M` members of the workspace, `-` nobody. Order: whether a thing is looked up
 * before the caller's rights are.
 */
export interface Permission {
  admin: 'Y' | 'M' | '-'
  annotator: 'Y' | 'M' | '-'
  order?: '404 then 403' | '403 then 404'
}

export interface RouteCases {
  /** Makes what the request needs, so that it succeeds each time. */
  request: (world: World) => Promise<CaseRequest> | CaseRequest
  /** Absent: open to all, or errors stand in the items of the answer. */
  permission?: Permission
  invalid?: Invalid[]
  /** Path parameters whose thing may be missing; all of them when left out. */
  missing?: string[]
  /** Relations that records in the answer carry. */
  relations?: string[]
}

export const MEMBER_ADMIN: Permission = { admin: 'M', annotator: '-', order: '404 then 403' }
export const MEMBER: Permission = { admin: 'M', annotator: 'M', order: '404 then 403' }
export const OWNER: Permission = { admin: '-', annotator: '-', order: '404 then 403' }
export const OWNER_FIRST: Permission = { admin: '-', annotator: '-', order: '403 then 404' }
export const EVERYBODY: Permission = { admin: 'Y', annotator: 'Y' }

/** The address of a route with its parameters; those not given name nothing. */
export function toRequest(route: { method: string; path: string }, { params = {}, query }: CaseRequest): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? NO_ID))
  return `${route.method} ${path}${query === undefined ? '' : `?${query}`}`
}
