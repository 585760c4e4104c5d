/** Pieces of SQL that carry the values bound to them, so that a query can be put together from parts in any order. */
import type { Param } from '../../storage/database.ts'

export interface SqlPart {
  text: string
  params: readonly Param[]
}

/** Parts are put in as they are; everything else is bound. */
export function sql(texts: TemplateStringsArray, ...values: (Param | SqlPart)[]): SqlPart {
  let text = texts[0] ?? ''
  const params: Param[] = []
  values.forEach((value, i) => {
    if (isPart(value)) {
      text += value.text
      params.push(...value.params)
    } else {
      text += '?'
      params.push(value)
    }
    text += texts[i + 1] ?? ''
  })
  return { text, params }
}

/** Names, aliases and key words: never anything a client sent. */
export const raw = (text: string): SqlPart => ({ text, params: [] })

/** `?, ?, ?` */
export const bound = (values: readonly Param[]): SqlPart => ({ text: values.map(() => '?').join(', '), params: values })

/** Joins by halves: SQLite refuses expressions of more than 1,000 levels, and a plain chain has one for each part. */
export function joinParts(parts: readonly SqlPart[], operator: 'and' | 'or'): SqlPart {
  const [first] = parts
  if (first === undefined) return raw(operator === 'and' ? 'true' : 'false')
  if (parts.length === 1) return first
  const half = parts.length >> 1
  return sql`(${joinParts(parts.slice(0, half), operator)} ${raw(operator)} ${joinParts(parts.slice(half), operator)})`
}

export const list = (parts: readonly SqlPart[]): SqlPart => ({
  text: parts.map(part => part.text).join(', '),
  params: parts.flatMap(part => part.params),
})

function isPart(value: Param | SqlPart): value is SqlPart {
  return value !== null && typeof value === 'object' && 'text' in value
}
