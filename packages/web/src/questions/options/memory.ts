/** Option list state stored in this browser: unfolded or not, and recently used options. */
import type { Items } from '../../storage/items.ts'

export const RECENT_MAX = 9

export interface OptionsMemory {
  isExpanded: boolean
  recent: readonly string[]
}

const nameOf = (questionId: string) => `options.${questionId}`

/** Invalid stored data counts as empty. */
export function readMemory(items: Items, questionId: string): OptionsMemory {
  const stored = items.read(nameOf(questionId))
  if (typeof stored !== 'object' || stored === null) return { isExpanded: false, recent: [] }
  const recent = 'recent' in stored && Array.isArray(stored.recent) ? stored.recent : []
  return {
    isExpanded: 'isExpanded' in stored && stored.isExpanded === true,
    recent: recent.filter(value => typeof value === 'string').slice(0, RECENT_MAX),
  }
}

export const writeMemory = (items: Items, questionId: string, memory: OptionsMemory) => items.keep(nameOf(questionId), memory)

export const withRecent = (recent: readonly string[], value: string): string[] =>
  [value, ...recent.filter(other => other !== value)].slice(0, RECENT_MAX)

/** Keeps the positions of options that are still recent; new ones take the positions of those that were removed. */
export function keepPlaces(before: readonly string[], recent: readonly string[]): string[] {
  const fresh = recent.filter(value => !before.includes(value))
  const kept = before.flatMap(value => (recent.includes(value) ? value : (fresh.shift() ?? [])))
  return [...kept, ...fresh]
}
