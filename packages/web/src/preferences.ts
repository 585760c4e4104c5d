/** What a person chose for this browser: kept in local storage, shared live between tabs. No secret is ever kept here. */
import { reactive, watch } from 'vue'
import { LANGUAGES, type Language, preferredLanguage } from './i18n/i18n.ts'

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const
export type Theme = (typeof THEMES)[number]

export interface Preferences {
  theme: Theme
  language: Language
  density: 'comfortable' | 'compact'
  /** Of record text, in px: 14 to 24. */
  pageSize: number
  pageFont: 'serif' | 'sans' | 'mono'
  wrap: boolean
  motion: 'system' | 'reduced'
  timeZone: string | null
  showKeys: 'always' | 'hover' | 'never'
  singleLetterKeys: boolean
  /** A number key answers and submits where a dataset has one label or rating question. */
  answerAndGo: boolean
  /** Plain Backspace discards, as people from other tools know it. */
  backspaceDiscards: boolean
  /** Records in the bulk view at their full height. */
  bulkInFull: boolean
  /** Order of the datasets on the home page: `activity.desc`. */
  homeSort: string
  /** Command id -> chords, where they differ from the defaults. */
  bindings: Record<string, string[]>
}

const KEY = 'postil.preferences'

const defaults = (): Preferences => ({
  theme: 'system',
  language: preferredLanguage(),
  density: 'comfortable',
  pageSize: 17,
  pageFont: 'serif',
  wrap: true,
  motion: 'system',
  timeZone: null,
  showKeys: 'always',
  singleLetterKeys: true,
  answerAndGo: true,
  backspaceDiscards: false,
  bulkInFull: false,
  homeSort: 'activity.desc',
  bindings: {},
})

export const preferences = reactive<Preferences>({ ...defaults(), ...read() })

/** Storage belongs to the person: what is missing or of a wrong kind falls back to the default. */
function read(): Partial<Preferences> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return {}
    const known = Object.entries(defaults()).filter(([name, value]) => {
      const given = (stored as Record<string, unknown>)[name]
      return given !== undefined && (typeof given === typeof value || (name === 'timeZone' && typeof given === 'string'))
    })
    const kept = Object.fromEntries(
      known.map(([name]) => [name, (stored as Record<string, unknown>)[name]]),
    ) as Partial<Preferences>
    if (kept.language && !LANGUAGES.includes(kept.language)) delete kept.language
    if (kept.theme && !THEMES.includes(kept.theme)) delete kept.theme
    return kept
  } catch {
    return {}
  }
}

export function startPreferences(apply: (preferences: Preferences) => void): void {
  watch(
    preferences,
    () => {
      localStorage.setItem(KEY, JSON.stringify(preferences))
      apply(preferences)
    },
    { deep: true },
  )
  addEventListener('storage', ({ key }) => {
    if (key === KEY) Object.assign(preferences, read())
  })
  apply(preferences)
}
