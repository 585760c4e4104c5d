import type { ColumnUse, Plan, Role, SourceColumn } from './plan.ts'

export const aColumn = (name: string, given: Partial<SourceColumn> = {}): SourceColumn => ({
  name,
  type: 'text',
  dimensions: null,
  empty: 0,
  distinct: null,
  suggestion: 'field',
  examples: [],
  ...given,
})

export const aColumnUse = (column: string | null, role: Role, given: Partial<ColumnUse> = {}): ColumnUse => ({
  column,
  role,
  target: column ?? '',
  title: column ?? '',
  kind: 'text',
  metadata: 'terms',
  dimensions: 1,
  required: true,
  ...given,
})

export const aPlan = (uses: ColumnUse[]): Plan => ({ uses, questions: [] })
