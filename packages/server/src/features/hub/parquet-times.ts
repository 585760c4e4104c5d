/** Dates, times of day and times without a zone as texts, as in other formats. Pure. */
import type { SchemaElement } from 'hyparquet'

const DAY_MS = 86_400_000
const DIGITS = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const
type Unit = keyof typeof DIGITS

/** Returns null for columns of other types. The reader gets the integer that is stored. */
export function toTimeReader({
  converted_type: converted,
  logical_type: logical,
}: SchemaElement): ((value: unknown) => string | null) | null {
  if (converted === 'DATE' || logical?.type === 'DATE') return value => toDateText(Number(value))
  if (logical?.type === 'TIME') return value => toClock(BigInt(value as number | bigint), logical.unit)
  if (converted === 'TIME_MILLIS') return value => toClock(BigInt(value as number | bigint), 'MILLIS')
  if (converted === 'TIME_MICROS') return value => toClock(BigInt(value as number | bigint), 'MICROS')
  if (logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC)
    return value => toLocal(BigInt(value as number | bigint), logical.unit)
  return null
}

/** Null for days that no date has. */
function toDateText(days: number): string | null {
  const date = new Date(days * DAY_MS)
  return Number.isNaN(date.getTime()) ? null : (date.toISOString().split('T')[0] ?? null)
}

/** Formats as `05:30:00`, with the digits after it that are not zero. */
function toClock(time: bigint, unit: Unit): string {
  const perSecond = 10n ** BigInt(DIGITS[unit])
  const seconds = time / perSecond
  const parts = [seconds / 3_600n, (seconds / 60n) % 60n, seconds % 60n].map(part => String(part).padStart(2, '0'))
  const fraction = String(time % perSecond)
    .padStart(DIGITS[unit], '0')
    .replace(/0+$/, '')
  return `${parts.join(':')}${fraction === '' ? '' : `.${fraction}`}`
}

/** Without a zone, because the file has none. */
function toLocal(time: bigint, unit: Unit): string | null {
  const perDay = BigInt(DAY_MS / 1_000) * 10n ** BigInt(DIGITS[unit])
  const clock = ((time % perDay) + perDay) % perDay
  const date = toDateText(Number((time - clock) / perDay))
  return date && `${date}T${toClock(clock, unit)}`
}
