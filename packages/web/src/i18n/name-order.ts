import { language } from './i18n.ts'

/** The fields of a person's name in the order in which the current language writes them. */
export const nameFields = (): readonly ('first_name' | 'last_name')[] =>
  language.value === 'ja' ? ['last_name', 'first_name'] : ['first_name', 'last_name']
