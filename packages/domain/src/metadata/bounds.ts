/** What the two number types share: inclusive bounds. */
import { invalid } from '../errors.ts'

interface Bounds {
  min?: number | null | undefined
  max?: number | null | undefined
}

/** As `x-check`: the lower bound lies below the upper one. */
export function boundsProblem({ min, max }: Bounds): string | null {
  if (min == null || max == null || min < max) return null
  return `\`min\` must be lower than \`max\`, but ${min} is not lower than ${max}`
}

export function checkBounds(value: number, { name, settings: { min, max } }: { name: string; settings: Bounds }): void {
  if (min != null && value < min) throw invalid(`Metadata property \`${name}\` expects at least ${min}, not ${value}`)
  if (max != null && value > max) throw invalid(`Metadata property \`${name}\` expects at most ${max}, not ${value}`)
}
