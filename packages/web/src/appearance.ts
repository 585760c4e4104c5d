/** Preferences -> what the style sheets look at. */
import { language, setLanguage, setTimeZone } from './i18n/i18n.ts'
import type { Preferences } from './preferences.ts'

const FONTS = { serif: 'var(--font-page-serif)', sans: 'var(--font-ui)', mono: 'var(--font-mono)' }

export function applyAppearance(preferences: Preferences): void {
  const { dataset, style } = document.documentElement
  // Without the attribute the system decides, live.
  if (preferences.theme === 'system') delete dataset.theme
  else dataset.theme = preferences.theme
  dataset.density = preferences.density
  dataset.keys = preferences.showKeys
  dataset.motion = preferences.motion
  style.setProperty('--page-size', `${preferences.pageSize / 16}rem`)
  style.setProperty('--font-page', FONTS[preferences.pageFont])
  setTimeZone(preferences.timeZone)
  if (preferences.language !== language.value) void setLanguage(preferences.language)
}
