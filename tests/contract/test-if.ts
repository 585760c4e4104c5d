import { test } from 'vitest'

/** Registers a test if it applies. Otherwise the test does not exist, instead of being reported as skipped. */
export function testIf(applies: unknown, name: string, run: () => Promise<void>): void {
  if (applies) test(name, run)
}
