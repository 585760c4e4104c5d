/** Values as they are shown in messages. */
import type { Json } from './schema.ts'

/** Formats values as `a, b, c` for a message, at most 20 of them. */
export function listed(values: readonly unknown[]): string {
  const named = values.slice(0, 20).map(String).join(', ')
  return values.length > 20 ? `${named}, and ${values.length - 20} more` : named
}

/** Formats a value for a message: in backticks and shortened. */
export function quoted(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 100 ? `\`${text.slice(0, 100)}…\`` : `\`${text}\``
}

/** Names the type of a value, for messages that must not show the value. */
export function kindOf(value: Json | undefined): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}
