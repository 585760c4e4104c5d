/** Burn-down line of the remaining records, with the forecast. Pure function, so that the chart only draws. */
import type { Overview } from '@postil/domain/overview'

const DAY_MS = 86_400_000

export interface Point {
  /** Days since the start of the period. */
  day: number
  left: number
}

export interface BurnDown {
  line: Point[]
  /**
   * End of the forecast, with the earliest and latest estimate. `isOpen` if there is no latest estimate; `latest` is then beyond
   * the chart.
   */
  end: { day: number; earliest: number; latest: number; isOpen: boolean } | null
  dayMax: number
  leftMax: number
}

/** The chart shows the forecast for at most the length of the period; a later end is beyond the chart's edge. */
export function toBurnDown({ days, records, forecast }: Overview): BurnDown {
  let left = records.total - records.completed
  const line: Point[] = []
  for (let day = days.length - 1; day >= 0; day--) {
    line.unshift({ day, left })
    left += days[day]?.completed ?? 0
  }
  const today = days.length - 1
  const leftMax = Math.max(1, ...line.map(point => point.left))
  const first = days[0]?.date
  if (forecast === null || first === undefined) return { line, end: null, dayMax: Math.max(1, today), leftMax }
  const dayOf = (date: string) => Math.round((Date.parse(date) - Date.parse(first)) / DAY_MS)
  const day = dayOf(forecast.date)
  const latest = forecast.latest === null ? null : dayOf(forecast.latest)
  const dayMax = Math.min(Math.max(day, latest ?? 0) + 1, today * 2 + 2)
  const end = { day, earliest: dayOf(forecast.earliest), latest: latest ?? dayMax * 4, isOpen: latest === null }
  return { line, end, dayMax, leftMax }
}

/** Round integers from 0 up to at least `max`. */
export function toTicks(max: number): number[] {
  const rough = Math.max(1, max) / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const sizes = [1, 2, 2.5, 5, 10].map(times => times * power)
  const step = sizes.find(size => size >= rough && Number.isInteger(size)) ?? 1
  return [0, 1, 2, 3].map(times => times * step).filter((_tick, i) => i < 2 || (i - 1) * step < max)
}
