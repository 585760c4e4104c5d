/** Formats a number of bytes as a human-readable file size. */
import { language } from './i18n.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
const STEP = 1000

export function fileSize(bytes: number): string {
  const power = bytes < STEP ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const unit = UNITS[power] ?? 'byte'
  const value = bytes / STEP ** power
  const digits = power === 0 || value >= 100 ? 0 : 1
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(value)
}
