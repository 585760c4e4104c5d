/** Applies preferences to the document and the language. */
import { language, setLanguage, setTimeZone } from './i18n/i18n.ts'
import { applyLook } from './look.ts'
import type { Preferences } from './preferences.ts'

export function applyAppearance(preferences: Preferences): void {
  applyLook(preferences)
  setTimeZone(preferences.timeZone)
  if (preferences.language !== language.value) void setLanguage(preferences.language)
}
