/** A query as it is asked over HTTP. */
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

export interface Asked {
  as: PersonName
  request: Request
  /** What it makes use of: each operator, scope and order that there is must occur. */
  uses: string[]
}
