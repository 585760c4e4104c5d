/** Initial plan, based on the column types that the server has detected. */
import type { MetadataTypeName } from '@postil/domain/metadata/registry'
import type { ColumnUse, FieldKind, Role, SourceColumn } from './plan.ts'

const NAME_MAX = 200
const MARKDOWN = /(^|\n)(#{1,6} |[-*] |\d+\. |> |```|\|.+\|)|\*\*\S|\]\(https?:/

export function suggestedUseOf(column: SourceColumn): ColumnUse {
  const name = column.name.slice(0, NAME_MAX)
  const isAnswer = column.suggestion === 'suggestion'
  return {
    column: column.name,
    role: column.suggestion,
    target: isAnswer ? '' : name,
    title: toTitle(name),
    kind: fieldKindOf(column),
    metadata: metadataTypeFor(column),
    dimensions: column.dimensions ?? 1,
    required: column.empty === 0,
  }
}

/** Ensures at least one field, and at least one required field. */
export function suggestedUsesOf(columns: readonly SourceColumn[]): ColumnUse[] {
  const uses = columns.map(suggestedUseOf)
  if (!uses.some(({ role }) => role === 'field')) {
    const at = columns.findIndex(({ type }) => type === 'long_text' || type === 'text' || type === 'chat' || type === 'image')
    const first = uses[Math.max(0, at)]
    if (first) Object.assign(first, withRole(first, 'field'))
  }
  const fields = uses.filter(({ role }) => role === 'field')
  const [first] = fields
  if (first && !fields.some(({ required }) => required)) first.required = true
  return uses
}

/** Changes the role of a column. Also resets the target, because a question is not a valid target for a field, and vice versa. */
export function withRole(use: ColumnUse, role: Role): ColumnUse {
  const keepsName = role === 'field' || role === 'metadata' || role === 'vector'
  return { ...use, role, target: keepsName ? (use.column ?? use.target).slice(0, NAME_MAX) : '' }
}

/** For existing datasets: maps each column to the target with the same name, ignoring case. */
export function matchingUsesOf(columns: readonly SourceColumn[], targets: DatasetTargets): ColumnUse[] {
  const find = (names: readonly string[], name: string) =>
    names.find(one => one === name) ?? names.find(one => one.toLowerCase() === name.toLowerCase())
  return columns.map(column => {
    const use = suggestedUseOf(column)
    for (const [role, names] of [
      ['field', targets.fields],
      ['metadata', targets.metadata],
      ['vector', targets.vectors],
      ['suggestion', targets.questions],
    ] as const) {
      const target = find(names, column.name)
      if (target !== undefined) return { ...use, role, target }
    }
    return { ...use, role: column.suggestion === 'external_id' ? 'external_id' : 'ignore', target: '' }
  })
}

/** Names in an existing dataset. */
export interface DatasetTargets {
  fields: readonly string[]
  questions: readonly string[]
  metadata: readonly string[]
  vectors: readonly string[]
}

function fieldKindOf({ type, examples }: SourceColumn): FieldKind {
  if (type === 'chat' || type === 'image') return type
  return type === 'long_text' && examples.some(example => MARKDOWN.test(example)) ? 'markdown' : 'text'
}

function metadataTypeFor({ type }: SourceColumn): MetadataTypeName {
  return type === 'integer' || type === 'float' ? type : 'terms'
}

/** `created_at` -> `Created at`. */
export function toTitle(name: string): string {
  const words = name.replace(/[_\s]+/g, ' ').trim()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
