/**
 * Mapping of the columns of a file or hub repository, and the questions of the dataset.
 *
 * A plan is plain data, so that it can be stored, compared and converted to a program. A column may be used more than once, for
 * example as a field and as the suggested answer of a question.
 */
import type { ColumnKind } from '@postil/domain/columns'
import type { ColumnUse as ProposedUse } from '@postil/domain/imports'
import type { MetadataTypeName } from '@postil/domain/metadata/registry'
import type { Question } from '@postil/domain/questions'
import type { Json } from '@postil/domain/schema'

/** A column as detected by the server. */
export interface SourceColumn {
  name: string
  type: ColumnKind
  dimensions: number | null
  /** Number of rows without a value among the sampled rows. */
  empty: number
  /** Distinct values; null if there are too many. */
  distinct: readonly string[] | null
  suggestion: ProposedUse
  examples: readonly string[]
}

/** First rows of the source; values are in the order of the columns. */
export interface SourceRows {
  columns: readonly SourceColumn[]
  rows: readonly (readonly Json[])[]
}

export const ROLES = [
  'field',
  'metadata',
  'vector',
  'suggestion',
  'score',
  'agent',
  'response',
  'user',
  'external_id',
  'ignore',
] as const
export type Role = (typeof ROLES)[number]

export const FIELD_KINDS = ['text', 'markdown', 'chat', 'image'] as const
export type FieldKind = (typeof FIELD_KINDS)[number]

/** One use of a column. Roles that belong to a question name it in `target`. */
export interface ColumnUse {
  /** Null for a field added manually, in a dataset without a file. */
  column: string | null
  role: Role
  /** Name of the field, property, vector or question; empty if none is chosen. */
  target: string
  title: string
  kind: FieldKind
  metadata: MetadataTypeName
  dimensions: number
  required: boolean
}

export interface QuestionPlan {
  name: string
  title: string
  description: string
  required: boolean
  settings: Question['settings']
}

export interface Plan {
  uses: ColumnUse[]
  questions: QuestionPlan[]
}

export interface DatasetPlan extends Plan {
  name: string
  workspace: { id: string; name: string } | null
  guidelines: string
  minSubmitted: number
}

/** Roles whose target is a question. */
export const isAboutQuestion = (role: Role) =>
  role === 'suggestion' || role === 'score' || role === 'agent' || role === 'response'

export const usesWith = <R extends Role>(plan: Pick<Plan, 'uses'>, ...roles: R[]) =>
  plan.uses.filter(({ role }) => (roles as Role[]).includes(role))

/** Returns the first unused name: `label`, `label_2`, `label_3` … */
export function freeName(name: string, taken: readonly string[], joint = '_'): string {
  let free = name
  for (let count = 2; taken.includes(free); count++) free = `${name}${joint}${count}`
  return free
}
