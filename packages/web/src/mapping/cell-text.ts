import type { Json } from '@postil/domain/schema'

const LENGTH_MAX = 160

/** Text of a value in a table of the source's first rows: shortened, and empty for null. */
export function toCellText(value: Json | undefined): string {
  if (value == null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.startsWith('data:')) return text.slice(0, text.indexOf(';'))
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}
