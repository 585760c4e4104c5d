import { test } from 'vitest'

/** Registers a test where its case applies; elsewhere there is none, which is not the same as one that was skipped. */
export function testWhere(applies: unknown, name: string, run: () => Promise<void>): void {
  if (applies) test(name, run)
}
