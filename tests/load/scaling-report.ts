import type { Measured } from './scaling-measure.ts'
export function printProjections(all: readonly Measured[]): void {
  process.stdout.write(`${JSON.stringify(all, null, 1)}\n`)
}
