/** Parses the text of the search box, words or `field:words`, and stores earlier searches. */
import type { Items } from '../../../../storage/items.ts'
import type { Criteria } from '../query/criteria.ts'

export type Search = NonNullable<Criteria['search']>

interface NamedField {
  name: string
  title: string
}

const HISTORY_MAX = 10

/** `text:"late fee"` searches the field with that name or title, and overrides the selected field. */
export function readTyped(typed: string, field: string | null, fields: readonly NamedField[]): Search | null {
  const colon = typed.indexOf(':')
  const before = typed.slice(0, colon).trim().toLowerCase()
  const named = colon > 0 ? fields.find(({ name, title }) => [name, title].some(one => one.toLowerCase() === before)) : undefined
  const text = (named ? typed.slice(colon + 1) : typed).trim()
  return text === '' ? null : { text, field: named ? named.name : field }
}

const isSame = (a: Search, b: Search) => a.text === b.text && a.field === b.field

/** Newest first. */
export const remembered = (history: readonly Search[], search: Search): Search[] =>
  [search, ...history.filter(one => !isSame(one, search))].slice(0, HISTORY_MAX)

const nameOf = (datasetId: string) => `searches.${datasetId}`

/** Ignores invalid entries, because users can change the browser's storage. */
export function parseHistory(stored: string | null): Search[] {
  try {
    const entries: unknown = JSON.parse(stored ?? '[]')
    return (Array.isArray(entries) ? entries : []).filter(isSearch).slice(0, HISTORY_MAX)
  } catch {
    return []
  }
}

const isSearch = (entry: unknown): entry is Search =>
  typeof entry === 'object' &&
  entry !== null &&
  'text' in entry &&
  typeof entry.text === 'string' &&
  'field' in entry &&
  (entry.field === null || typeof entry.field === 'string')

export const readHistory = (items: Items, datasetId: string) => parseHistory(items.get(nameOf(datasetId)))

export const keepHistory = (items: Items, datasetId: string, history: readonly Search[]) => items.keep(nameOf(datasetId), history)

/** Returns earlier searches that contain the typed text, without the current search. */
export function suggestions(history: readonly Search[], typed: string, current: Search | null): Search[] {
  const words = typed.trim().toLowerCase()
  return history.filter(one => one.text.toLowerCase().includes(words) && (current === null || !isSame(one, current)))
}
