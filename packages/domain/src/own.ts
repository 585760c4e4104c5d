import type { Json } from './schema.ts'

/** The object's own property, or undefined: a key such as `constructor` or `__proto__` must not reach the prototype. */
export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Length in code points, as every limit and span of the API counts it. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--
      i++
    }
  }
  return length
}

/** `a, b, c` for a message; at most 20 entries are named. */
export function listed(values: readonly unknown[]): string {
  const named = values.slice(0, 20).map(String).join(', ')
  return values.length > 20 ? `${named}, and ${values.length - 20} more` : named
}

/** A value for a message, in backticks and cut to a length that is fit to read. */
export function quoted(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 100 ? `\`${text.slice(0, 100)}…\`` : `\`${text}\``
}

/** What a value is, for a message that must not show it. */
export function kindOf(value: Json | undefined): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}
