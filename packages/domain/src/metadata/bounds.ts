/** Inclusive bounds, shared by the two number types. */
import { invalid } from '../errors.ts'

interface Bounds {
  min?: number | null | undefined
  max?: number | null | undefined
}

/** For `x-check`: the lower bound must be below the upper bound. */
export function boundsProblem({ min, max }: Bounds): string | null {
  if (min == null || max == null || min < max) return null
  return `\`min\` must be lower than \`max\`, but ${min} is not lower than ${max}`
}

export function checkWithinBounds(value: number, { name, settings: { min, max } }: { name: string; settings: Bounds }): void {
  if (min != null && value < min) throw invalid(`Metadata property \`${name}\` expects at least ${min}, not ${value}`)
  if (max != null && value > max) throw invalid(`Metadata property \`${name}\` expects at most ${max}, not ${value}`)
}
