import { language } from '../../i18n/i18n.ts'

/** Formats a calendar day, independent of time zones: `18 Nov`. */
export function dayText(date: string): string {
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return ''
  const isFar = Math.abs(day.getTime() - Date.now()) > 300 * 86_400_000
  return new Intl.DateTimeFormat(language.value, {
    day: 'numeric',
    month: 'short',
    ...(isFar ? { year: 'numeric' as const } : {}),
    timeZone: 'UTC',
  }).format(day)
}
