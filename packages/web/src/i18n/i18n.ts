/** Every string of the interface, through one catalogue: typed keys, ICU arguments and plurals, the language changes live. */
import { computed, ref, shallowRef } from 'vue'
import type { admin } from './en/admin.ts'
import { en } from './en/all.ts'
import { formatMessage, type MessageArguments } from './message.ts'
import { formatNumber, formatPercent } from './numbers.ts'

export const LANGUAGES = ['en', 'de', 'es', 'ja'] as const
export type Language = (typeof LANGUAGES)[number]

type Texts<T> = { [Namespace in keyof T]: { [Key in keyof T[Namespace]]: string } }
/** Namespace -> key -> text. English decides which keys there are; the compiler refuses a language that misses one. */
type BaseCatalogue = Texts<typeof en>
type ExtraCatalogue = Texts<{ admin: typeof admin }>
type Catalogue = BaseCatalogue & ExtraCatalogue
export type MessageKey = { [N in keyof Catalogue & string]: `${N}.${keyof Catalogue[N] & string}` }[keyof Catalogue & string]

const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<BaseCatalogue>> = {
  de: async () => (await import('./de/all.ts')).de,
  es: async () => (await import('./es/all.ts')).es,
  ja: async () => (await import('./ja/all.ts')).ja,
}

/** Texts of pages that few people open are loaded with those pages, so that the first load of all others stays small. */
const EXTRAS: { [Name in keyof ExtraCatalogue]: Record<Language, () => Promise<ExtraCatalogue[Name]>> } = {
  admin: {
    en: async () => (await import('./en/admin.ts')).admin,
    de: async () => (await import('./de/admin.ts')).admin,
    es: async () => (await import('./es/admin.ts')).admin,
    ja: async () => (await import('./ja/admin.ts')).admin,
  },
}

const catalogue = shallowRef<BaseCatalogue>(en)
const extras = shallowRef<Partial<ExtraCatalogue>>({})
export const language = ref<Language>('en')

/** The catalogue is there before the language changes, so that no page shows two languages. */
export async function setLanguage(next: Language): Promise<void> {
  const [loaded, admin] = await Promise.all([
    next === 'en' ? en : LOADERS[next](),
    extras.value.admin ? EXTRAS.admin[next]() : undefined,
  ])
  catalogue.value = loaded
  if (admin) extras.value = { admin }
  language.value = next
  document.documentElement.lang = next
}

/** Resolves when the texts are there in the language on screen, even if that changes meanwhile. */
export async function loadTexts(name: keyof ExtraCatalogue): Promise<void> {
  for (let loaded: Language | null = null; loaded !== language.value; ) {
    loaded = language.value
    extras.value = { ...extras.value, [name]: await EXTRAS[name][loaded]() }
  }
}

/** The first of the reader's languages that we have. */
export const preferredLanguage = (): Language =>
  navigator.languages.map(tag => LANGUAGES.find(known => tag.toLowerCase().startsWith(known))).find(Boolean) ?? 'en'

export function t(key: MessageKey, values: MessageArguments = {}): string {
  const dot = key.indexOf('.')
  const name = key.slice(0, dot) as keyof Catalogue
  const namespace: Record<string, string> | undefined = name === 'admin' ? extras.value[name] : catalogue.value[name]
  return formatMessage(namespace?.[key.slice(dot + 1)] ?? key, values, language.value)
}

const timeZone = ref<string | undefined>()

/** Null: the browser's own. A name that the browser does not know counts as that. */
export function setTimeZone(name: string | null): void {
  try {
    timeZone.value = name === null ? undefined : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    timeZone.value = undefined
  }
}

/** Undefined: the browser's own. */
export const currentTimeZone = () => timeZone.value

const zone = () => (timeZone.value === undefined ? {} : { timeZone: timeZone.value })

/** Each made when it is first needed: they are slow to make. */
const formats = {
  dateTime: computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short', ...zone() })),
  date: computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', ...zone() })),
  relative: computed(() => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' })),
  list: computed(() => new Intl.ListFormat(language.value)),
}

/** The API prints UTC without a zone. */
export const parseTime = (time: string) => new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`)

export const n = (value: number) => formatNumber(value, language.value)
export const percent = (share: number) => formatPercent(share, language.value)
export const dateTime = (time: string) => formats.dateTime.value.format(parseTime(time))
export const list = (items: string[]) => formats.list.value.format(items)
/** As people say it: one decimal, 0 included. */
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
