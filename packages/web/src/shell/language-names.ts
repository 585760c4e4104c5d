import type { Language } from '../i18n/i18n.ts'

/** Each in itself: who looks for a language may not read the one on screen. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch', es: 'Español', ja: '日本語' }
