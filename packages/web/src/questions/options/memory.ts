/** What a person did with the options of a question, kept in this browser: unfolded, and used of late. */
export const RECENT_MAX = 9

export interface OptionsMemory {
  isExpanded: boolean
  recent: readonly string[]
}

const keyOf = (questionId: string) => `postil.options.${questionId}`

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>

/** Storage may be full, forbidden or edited by hand; then nothing is remembered. */
export function readMemory(questionId: string, storage: Storage = localStorage): OptionsMemory {
  try {
    const stored: unknown = JSON.parse(storage.getItem(keyOf(questionId)) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return { isExpanded: false, recent: [] }
    const recent = 'recent' in stored && Array.isArray(stored.recent) ? stored.recent : []
    return {
      isExpanded: 'isExpanded' in stored && stored.isExpanded === true,
      recent: recent.filter(value => typeof value === 'string').slice(0, RECENT_MAX),
    }
  } catch {
    return { isExpanded: false, recent: [] }
  }
}

export function writeMemory(questionId: string, memory: OptionsMemory, storage: Storage = localStorage): void {
  try {
    storage.setItem(keyOf(questionId), JSON.stringify(memory))
  } catch {
    // It is a convenience; work goes on without it.
  }
}

export const withRecent = (recent: readonly string[], value: string): string[] =>
  [value, ...recent.filter(other => other !== value)].slice(0, RECENT_MAX)
