/**
 * Numbers as a language writes them. The first `Intl.NumberFormat` of a page costs 40 to 70 ms, for the browser reads the data of all
 * languages then; counts and shares, which are on every page, are written without it. Whatever else comes is left to Intl.
 */
import type { Language } from './i18n.ts'

interface Rules {
  groupSign: string
  /** The first number that is divided into groups. */
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
  // Halves go up: 0.145 is a little less than that in binary, which is not meant.
  const whole = Math.round(Math.round(share * 1e6) / 1e4)
  if (!isCount(whole)) return intl(language, 'percent').format(share)
  return `${formatNumber(whole, language)}${RULES[language].percentSign}`
}

/** Our languages have two forms of a word with a count, or one. */
export const pluralOf = (count: number, language: Language): 'one' | 'other' =>
  RULES[language].hasPlural && count === 1 ? 'one' : 'other'
