/** The figures as a table: one line per step, one group of columns per size, and how the cost grew from the size before. */
import type { Timing } from './measure.ts'

export interface Figure extends Partial<Timing> {
  step: string
  value?: number
}

export interface BenchResult {
  records: number
  figures: Figure[]
}

export function printTable(results: readonly BenchResult[]): void {
  const steps = results[0]?.figures.map(figure => figure.step) ?? []
  const head = ['step', ...results.flatMap(({ records }, index) => [`${records} records`, ...(index === 0 ? [] : ['growth'])])]
  const rows = steps.map(step => [
    step,
    ...results.flatMap((result, index) => {
      const figure = find(result, step)
      return [describe(figure), ...(index === 0 ? [] : [growth(find(results[index - 1], step), figure)])]
    }),
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]?.length ?? 0)))
  for (const row of [head, widths.map(width => '-'.repeat(width)), ...rows]) {
    process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`)
  }
}

const find = (result: BenchResult | undefined, step: string) => result?.figures.find(figure => figure.step === step)

function describe(figure: Figure | undefined): string {
  if (!figure) return ''
  if (figure.value !== undefined) return figure.value.toFixed(0)
  const rate = figure.per_second === undefined ? [] : [`${figure.per_second.toFixed(0)}/s`]
  const times = figure.p95_ms === undefined ? [] : [`p50 ${figure.p50_ms?.toFixed(1)} ms`, `p95 ${figure.p95_ms.toFixed(1)} ms`]
  return [...times, ...rate].join(', ')
}

/** How many times as long, or as much, as at the size before. */
function growth(before: Figure | undefined, now: Figure | undefined): string {
  const cost = (figure: Figure | undefined) => figure?.value ?? figure?.p50_ms ?? 1 / (figure?.per_second ?? Number.NaN)
  const ratio = cost(now) / cost(before)
  return Number.isFinite(ratio) ? `x${ratio.toFixed(2)}` : ''
}
