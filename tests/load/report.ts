/** Tables of the figures by size: results, targets, and the comparison with the stored figures. */

import { FIGURE_TARGETS, type FigureTarget } from './figure-targets.ts'
import type { Timing } from './measure.ts'

export interface Figure extends Partial<Timing> {
  step: string
  value?: number
}

export interface BenchResult {
  records: number
  figures: Figure[]
}

export function printTables(results: readonly BenchResult[], kept: readonly BenchResult[]): void {
  for (const result of results) {
    const before = kept.find(({ records }) => records === result.records)
    const smaller = results[results.indexOf(result) - 1]
    process.stdout.write(`\n${result.records.toLocaleString('en')} records\n`)
    printRows([
      ['step', 'reached', 'wanted', '', ...(before ? ['before'] : []), ...(smaller ? ['growth'] : [])],
      ...result.figures.map(figure => {
        const wanted = FIGURE_TARGETS[figure.step]?.[result.records]
        return [
          figure.step,
          describe(figure),
          wanted ? describe(wanted) : '',
          wanted && !isMet(figure, wanted) ? 'missed' : '',
          ...(before ? [toRatio(find(before, figure.step), figure)] : []),
          ...(smaller ? [toRatio(find(smaller, figure.step), figure)] : []),
        ]
      }),
    ])
  }
}

export function printRows([head = [], ...rows]: readonly string[][]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]?.length ?? 0)))
  for (const row of [head, widths.map(width => '-'.repeat(width)), ...rows]) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
  }
}

const find = (result: BenchResult, step: string) => result.figures.find(figure => figure.step === step)

function describe({ value, p50_ms, p95_ms, per_second }: FigureTarget): string {
  if (value !== undefined) return value.toFixed(0)
  const times = [
    ...(p50_ms === undefined ? [] : [`p50 ${p50_ms.toFixed(1)} ms`]),
    ...(p95_ms === undefined ? [] : [`p95 ${p95_ms.toFixed(1)} ms`]),
  ]
  return [...times, ...(per_second === undefined ? [] : [`${per_second.toFixed(0)}/s`])].join(', ')
}

const isMet = (figure: Figure, wanted: FigureTarget) =>
  (wanted.p95_ms === undefined || (figure.p95_ms ?? Number.NaN) <= wanted.p95_ms) &&
  (wanted.per_second === undefined || (figure.per_second ?? Number.NaN) >= wanted.per_second) &&
  (wanted.value === undefined || (figure.value ?? Number.NaN) <= wanted.value)

/** Returns the ratio of the new figure to the old one. */
function toRatio(before: Figure | undefined, now: Figure): string {
  const cost = (figure: Figure | undefined) => figure?.value ?? figure?.p50_ms ?? 1 / (figure?.per_second ?? Number.NaN)
  const ratio = cost(now) / cost(before)
  return Number.isFinite(ratio) ? `x${ratio.toFixed(2)}` : ''
}
