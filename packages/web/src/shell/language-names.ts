import type { Language } from '../i18n/i18n.ts'

/** Each language in its own name, because the user may not read the current language. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch', es: 'Español', ja: '日本語' }
