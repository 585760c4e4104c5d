/**
 * Appearance and keyboard preferences of the signed-in user. Before sign-in, and on a user's first sign-in in this browser, theme
 * and language are those last used in the browser. Secrets are never stored here.
 */
import { reactive, watch } from 'vue'
import { LANGUAGES, type Language, preferredLanguage } from './i18n/i18n.ts'
import { LOOK, type Look, THEMES } from './look.ts'
import type { Session } from './session/session.ts'
import { findLocalStorage, itemKey } from './storage/items.ts'

export { THEMES, type Theme } from './look.ts'

export interface Preferences extends Look {
  language: Language
  wrap: boolean
  timeZone: string | null
  singleLetterKeys: boolean
  /** A number key answers and submits if the dataset has a single label or rating question. */
  answerAndGo: boolean
  /** Backspace without a modifier discards, as in other annotation tools. */
  backspaceDiscards: boolean
  /** Shows records in the bulk view at full height. */
  bulkInFull: boolean
  /** Sort order of the datasets on the home page, e.g. `activity.desc`. */
  homeSort: string
  homeView: 'cards' | 'table'
  /** Command id -> chords that differ from the defaults. */
  bindings: Record<string, string[]>
}

/** Storage key for the preferences of the browser, used before sign-in. */
const KEY = 'postil.preferences'
const NAME = 'preferences'

const defaults = (): Preferences => ({
  ...LOOK,
  language: preferredLanguage(),
  wrap: true,
  timeZone: null,
  singleLetterKeys: true,
  answerAndGo: true,
  backspaceDiscards: false,
  bulkInFull: false,
  homeSort: 'activity.desc',
  homeView: 'cards',
  bindings: {},
})

export const preferences = reactive<Preferences>({ ...defaults(), ...readBrowserPreferences() })

/** Validates stored preferences: missing or invalid values fall back to the default. */
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

function readBrowserPreferences(): Partial<Preferences> {
  try {
    return pickKnown(JSON.parse(findLocalStorage()?.getItem(KEY) ?? '{}'))
  } catch {
    return {}
  }
}

function storeBrowserPreferences({ theme, language }: Preferences): void {
  try {
    findLocalStorage()?.setItem(KEY, JSON.stringify({ theme, language }))
  } catch {
    // Not stored: the next visit starts with the system's settings.
  }
}

export function startPreferences(apply: (preferences: Preferences) => void): void {
  watch(preferences, apply, { deep: true })
  addEventListener('storage', ({ key }) => {
    if (key === KEY) Object.assign(preferences, readBrowserPreferences())
  })
  apply(preferences)
}

/** The session whose preferences these are. */
let holder: Session | null = null

function open(session: Session) {
  const { items, userId } = session
  holder = session
  // Users without stored preferences start with those of the browser, which an earlier version stored for all users.
  Object.assign(preferences, defaults(), readBrowserPreferences(), pickKnown(items.read(NAME)))
  watch(
    preferences,
    () => {
      items.keep(NAME, preferences)
      storeBrowserPreferences(preferences)
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
      // The next session may have started already.
      if (holder !== session) return
      holder = null
      const { theme, language } = preferences
      Object.assign(preferences, defaults(), { theme, language })
    },
  }
}

/** Binds the preferences to this session until it ends. */
export const bindPreferences = (session: Session) => void session.own(open)
