/**
 * Localised number formats. The first `Intl.NumberFormat` of a page takes 40 to 70 ms, because the browser loads the data of all
 * languages. Counts and percentages are on every page, so they are formatted without it; other numbers use Intl.
 */
import type { Language } from './i18n.ts'

interface Rules {
  groupSign: string
  /** Smallest number with digit grouping. */
  groupFrom: number
  percentSign: string
  hasPlural: boolean
}

const RULES: Record<Language, Rules> = {
  en: { groupSign: ',', groupFrom: 1_000, percentSign: '%', hasPlural: true },
  de: { groupSign: '.', groupFrom: 1_000, percentSign: '\u00a0%', hasPlural: true },
  es: { groupSign: '.', groupFrom: 10_000, percentSign: '\u00a0%', hasPlural: true },
  ja: { groupSign: ',', groupFrom: 1_000, percentSign: '%', hasPlural: false },
}

const kept = new Map<string, Intl.NumberFormat>()

function intl(language: Language, style: 'decimal' | 'percent'): Intl.NumberFormat {
  const key = `${language} ${style}`
  const format = kept.get(key) ?? new Intl.NumberFormat(language, { style })
  kept.set(key, format)
  return format
}

const isCount = (value: number) => Number.isSafeInteger(value) && !Object.is(value, -0) && value >= 0

export function formatNumber(value: number, language: Language): string {
  if (!isCount(value)) return intl(language, 'decimal').format(value)
  const { groupSign, groupFrom } = RULES[language]
  return value < groupFrom ? String(value) : String(value).replace(/\B(?=(?:\d{3})+$)/g, groupSign)
}

export function formatPercent(share: number, language: Language): string {
  // Rounds half up. The inner rounding removes binary errors: 0.145 is stored as slightly less than 0.145.
  const whole = Math.round(Math.round(share * 1e6) / 1e4)
  if (!isCount(whole)) return intl(language, 'percent').format(share)
  return `${formatNumber(whole, language)}${RULES[language].percentSign}`
}

const keptPlurals = new Map<Language, Intl.PluralRules>()

/**
 * Plural form of a count, as selected by `Intl.PluralRules`. Counts below a million do not use `Intl`, for the same reason as
 * above.
 */
export function pluralOf(count: number, language: Language): Intl.LDMLPluralRule {
  if (isCount(count) && count < 1_000_000) return RULES[language].hasPlural && count === 1 ? 'one' : 'other'
  const rules = keptPlurals.get(language) ?? new Intl.PluralRules(language)
  keptPlurals.set(language, rules)
  return rules.select(count)
}
