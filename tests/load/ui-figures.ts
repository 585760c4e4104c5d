/** A measured value, with its budget. */
export interface Figure {
  what: string
  setting: string
  value: number
  unit: 'ms' | 'KB' | 'MB' | 'requests' | 'hosts'
  budget: number | null
}
export const figures: Figure[] = []

export const note = (what: string, setting: string, value: number, unit: Figure['unit'], budget: number | null = null) =>
  figures.push({ what, setting, value, unit, budget })

export function print(): void {
  const rows = figures.map(({ what, setting, value, unit, budget }) => {
    const verdict = budget === null ? '' : value <= budget ? 'met' : 'MISSED'
    return [what, setting, `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`, budget === null ? '' : `${budget} ${unit}`, verdict]
  })
  const head = ['what', 'setting', 'reached', 'budget', '']
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map(row => row[at]?.length ?? 0)))
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
