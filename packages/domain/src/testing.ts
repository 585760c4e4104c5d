/** For tests: does a schema take a value, and what does a rule say against it. */
import { Value } from 'typebox/value'
import { DomainError, type Path } from './errors.ts'
import type { TSchema } from './schema.ts'

type Checked = { 'x-check'?: (value: unknown) => string | null; 'x-variants'?: Record<string, TSchema>; 'x-tag'?: string }

/** Whether a schema takes a value as it is: without the conversions of the server's validator, with the outermost rule. */
export function accepts(schema: TSchema, value: unknown): boolean {
  const { 'x-check': check, 'x-variants': variants, 'x-tag': tag } = schema as Checked
  if (variants && tag) {
    const variant = variants[String((value as { [key: string]: unknown })[tag])]
    return variant !== undefined && accepts(variant, value)
  }
  return Value.Check(schema, value) && (check === undefined || check(value) === null)
}

/** What a rule throws, or null when it has nothing against it. */
export function refusal(rule: () => unknown): { message: string; at: Path } | null {
  try {
    rule()
    return null
  } catch (error) {
    if (error instanceof DomainError) return { message: error.message, at: error.at }
    throw error
  }
}

export const isRefused = (rule: () => unknown) => refusal(rule) !== null
