/** Helpers of the validator's tests. */
import type { ShapeProblem } from '@postil/domain/errors'
import type { TSchema } from '@postil/domain/schema'
import { expect } from 'vitest'
import { compileSchema } from './validate.ts'

export function run(schema: TSchema, value: unknown): { value: unknown; problems: ShapeProblem[] } {
  const problems: ShapeProblem[] = []
  const loc = ['body']
  const converted = compileSchema(schema)(value, loc, problems)
  // The path is shared by the whole validation, so every push must have been popped.
  expect(loc).toEqual(['body'])
  return { value: converted, problems }
}

/** Returns `type path` of each problem, for short expectations. */
export const toSummaries = (problems: ShapeProblem[]) => problems.map(({ type, loc }) => `${type} ${JSON.stringify(loc)}`)

export const problemsOf = (schema: TSchema, value: unknown) => toSummaries(run(schema, value).problems)

export function accepted(schema: TSchema, value: unknown): unknown {
  const result = run(schema, value)
  expect(result.problems).toEqual([])
  return result.value
}
