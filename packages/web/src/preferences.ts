/**
 * How the page looks and which keys it takes: as the person who is signed in chose it. Before that, and for who signs in here
 * for the first time, theme and language are those that this browser had last. No secret is ever kept here.
 */
import { reactive, watch } from 'vue'
import { LANGUAGES, type Language, preferredLanguage } from './i18n/i18n.ts'
import type { Session } from './session/session.ts'
import { findLocalStorage, itemKey } from './storage/items.ts'

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

/** Of the browser: what is shown before anybody has signed in. */
const KEY = 'postil.preferences'
const NAME = 'preferences'

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

export const preferences = reactive<Preferences>({ ...defaults(), ...readOfBrowser() })

/** Storage may hold anything: what is missing or of a wrong kind falls back to the default. */
function pickKnown(stored: unknown): Partial<Preferences> {
  if (typeof stored !== 'object' || stored === null) return {}
  const given = stored as Record<string, unknown>
  const isFitting = ([name, value]: [string, unknown]) =>
    given[name] !== undefined && (typeof given[name] === typeof value || (name === 'timeZone' && typeof given[name] === 'string'))
  const names = Object.entries(defaults()).filter(isFitting)
  const kept = Object.fromEntries(names.map(([name]) => [name, given[name]])) as Partial<Preferences>
  if (kept.language && !LANGUAGES.includes(kept.language)) delete kept.language
  if (kept.theme && !THEMES.includes(kept.theme)) delete kept.theme
  return kept
}

function readOfBrowser(): Partial<Preferences> {
  try {
    return pickKnown(JSON.parse(findLocalStorage()?.getItem(KEY) ?? '{}'))
  } catch {
    return {}
  }
}

function keepOfBrowser({ theme, language }: Preferences): void {
  try {
    findLocalStorage()?.setItem(KEY, JSON.stringify({ theme, language }))
  } catch {
    // The next visit begins with the system's.
  }
}

export function startPreferences(apply: (preferences: Preferences) => void): void {
  watch(preferences, apply, { deep: true })
  addEventListener('storage', ({ key }) => {
    if (key === KEY) Object.assign(preferences, readOfBrowser())
  })
  apply(preferences)
}

function open({ items, userId }: Session) {
  // Who has none yet begins with those of the browser, which an earlier version kept for everybody.
  Object.assign(preferences, defaults(), readOfBrowser(), pickKnown(items.read(NAME)))
  watch(
    preferences,
    () => {
      items.keep(NAME, preferences)
      keepOfBrowser(preferences)
    },
    { deep: true },
  )
  const listen = ({ key }: StorageEvent) => {
    if (key === itemKey(userId, NAME)) Object.assign(preferences, pickKnown(items.read(NAME)))
  }
  addEventListener('storage', listen)
  return {
    close: () => {
      removeEventListener('storage', listen)
      const { theme, language } = preferences
      Object.assign(preferences, defaults(), { theme, language })
    },
  }
}

/** From now on until the session ends, the preferences are this person's. */
export const takePreferences = (session: Session) => void session.own(open)
