/** A query as it is sent over HTTP. */
import type { Id } from '@postil/domain/schema'
import type { CountsBody } from '@postil/domain/search/counts'
import type { OldParameters, SearchBody } from '@postil/domain/search/query'
import type { PersonName } from './records.ts'

export interface Page {
  offset: number
  limit: number
}

export type Request =
  | ({ kind: 'search'; mine: boolean; body: SearchBody } & Page)
  | ({ kind: 'list'; mine: boolean; parameters: OldParameters } & Page)
  | { kind: 'counts'; body: CountsBody }
  | { kind: 'metrics'; propertyId: Id }
  | { kind: 'progress' | 'users_progress' | 'my_metrics' | 'agents' }

export interface TestQuery {
  as: PersonName
  request: Request
  /** Features that the query uses. Each operator, scope and order must occur. */
  uses: string[]
}
