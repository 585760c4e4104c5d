/** All texts of the UI: typed keys, ICU arguments and plurals. The language can change without a reload. */
import { computed, ref, shallowRef } from 'vue'
import type { admin } from './en/admin.ts'
import { en } from './en/all.ts'
import type { exchange } from './en/exchange.ts'
import type { overview } from './en/overview.ts'
import type { people } from './en/people.ts'
import type { wizard } from './en/wizard.ts'
import { formatMessage, type MessageArguments } from './message.ts'
import { formatNumber, formatPercent } from './numbers.ts'

export const LANGUAGES = ['en', 'de', 'es', 'ja'] as const
export type Language = (typeof LANGUAGES)[number]

type Texts<T> = { [Namespace in keyof T]: { [Key in keyof T[Namespace]]: string } }
/** Namespace -> key -> text. English defines the keys; a missing key in another language is a type error. */
type BaseCatalogue = Texts<typeof en>
type ExtraCatalogue = Texts<{
  admin: typeof admin
  exchange: typeof exchange
  overview: typeof overview
  people: typeof people
  wizard: typeof wizard
}>
type Catalogue = BaseCatalogue & ExtraCatalogue
export type MessageKey = { [N in keyof Catalogue & string]: `${N}.${keyof Catalogue[N] & string}` }[keyof Catalogue & string]

const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<BaseCatalogue>> = {
  de: async () => (await import('./de/all.ts')).de,
  es: async () => (await import('./es/all.ts')).es,
  ja: async () => (await import('./ja/all.ts')).ja,
}

/** Texts of rarely visited pages are loaded with those pages, so that the first load of all other pages stays small. */
const EXTRAS: { [Name in keyof ExtraCatalogue]: Record<Language, () => Promise<ExtraCatalogue[Name]>> } = {
  admin: {
    en: async () => (await import('./en/admin.ts')).admin,
    de: async () => (await import('./de/admin.ts')).admin,
    es: async () => (await import('./es/admin.ts')).admin,
    ja: async () => (await import('./ja/admin.ts')).admin,
  },
  exchange: {
    en: async () => (await import('./en/exchange.ts')).exchange,
    de: async () => (await import('./de/exchange.ts')).exchange,
    es: async () => (await import('./es/exchange.ts')).exchange,
    ja: async () => (await import('./ja/exchange.ts')).exchange,
  },
  wizard: {
    en: async () => (await import('./en/wizard.ts')).wizard,
    de: async () => (await import('./de/wizard.ts')).wizard,
    es: async () => (await import('./es/wizard.ts')).wizard,
    ja: async () => (await import('./ja/wizard.ts')).wizard,
  },
  people: {
    en: async () => (await import('./en/people.ts')).people,
    de: async () => (await import('./de/people.ts')).people,
    es: async () => (await import('./es/people.ts')).people,
    ja: async () => (await import('./ja/people.ts')).people,
  },
  overview: {
    en: async () => (await import('./en/overview.ts')).overview,
    de: async () => (await import('./de/overview.ts')).overview,
    es: async () => (await import('./es/overview.ts')).overview,
    ja: async () => (await import('./ja/overview.ts')).overview,
  },
}

const isExtra = (name: string): name is keyof ExtraCatalogue => Object.hasOwn(EXTRAS, name)

const catalogue = shallowRef<BaseCatalogue>(en)
const extras = shallowRef<Partial<ExtraCatalogue>>({})
export const language = ref<Language>('en')

/** Loads the catalogue before the language changes, so that a page never mixes two languages. */
export async function setLanguage(next: Language): Promise<void> {
  const names = Object.keys(extras.value) as (keyof ExtraCatalogue)[]
  const [loaded, ...texts] = await Promise.all([
    next === 'en' ? en : LOADERS[next](),
    ...names.map(async name => ({ [name]: await EXTRAS[name][next]() })),
  ])
  catalogue.value = loaded
  extras.value = Object.assign({}, ...texts)
  language.value = next
  document.documentElement.lang = next
}

/** Resolves once the texts are loaded in the current language, even if the language changes meanwhile. */
export async function loadTexts(name: keyof ExtraCatalogue): Promise<void> {
  for (let loaded: Language | null = null; loaded !== language.value; ) {
    loaded = language.value
    const texts = await EXTRAS[name][loaded]()
    // Read again, because other texts may have been loaded during the `await`.
    extras.value = { ...extras.value, [name]: texts }
  }
}

/** Returns the first of the browser's preferred languages that is supported. */
export const preferredLanguage = (): Language =>
  navigator.languages.map(tag => LANGUAGES.find(known => tag.toLowerCase().startsWith(known))).find(Boolean) ?? 'en'

export function t(key: MessageKey, values: MessageArguments = {}): string {
  const dot = key.indexOf('.')
  const name = key.slice(0, dot)
  const namespace: Record<string, string> | undefined = isExtra(name)
    ? extras.value[name]
    : catalogue.value[name as keyof BaseCatalogue]
  return formatMessage(namespace?.[key.slice(dot + 1)] ?? key, values, language.value)
}

const timeZone = ref<string | undefined>()

/** Sets the time zone. Null or an unknown name selects the browser's time zone. */
export function setTimeZone(name: string | null): void {
  try {
    timeZone.value = name === null ? undefined : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    timeZone.value = undefined
  }
}

/** Undefined means the browser's time zone. */
export const currentTimeZone = () => timeZone.value

const zone = () => (timeZone.value === undefined ? {} : { timeZone: timeZone.value })

/** Created on first use, because `Intl` formats are expensive to create. */
const formats = {
  dateTime: computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short', ...zone() })),
  date: computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', ...zone() })),
  relative: computed(() => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' })),
  list: computed(() => new Intl.ListFormat(language.value)),
}

/** Parses times of the API, which are in UTC without a zone suffix. */
export const parseTime = (time: string) => new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`)

export const n = (value: number) => formatNumber(value, language.value)
export const percent = (share: number) => formatPercent(share, language.value)
export const dateTime = (time: string) => formats.dateTime.value.format(parseTime(time))
export const list = (items: string[]) => formats.list.value.format(items)
/** Formats a score with one decimal by default, including a trailing 0. */
export const score = (value: number, digits = 1) =>
  new Intl.NumberFormat(language.value, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
]

export function ago(time: string, now = Date.now()): string {
  const seconds = Math.round((parseTime(time).getTime() - now) / 1000)
  if (Math.abs(seconds) > 6 * 86_400) return formats.date.value.format(parseTime(time))
  const [unit, size] = STEPS.findLast(([, from]) => Math.abs(seconds) >= from) ?? ['second', 1]
  return formats.relative.value.format(Math.round(seconds / size), unit)
}
