/** Test helpers: whether a schema accepts a value, and the error of a rule. */
import { Value } from 'typebox/value'
import { DomainError, type Path } from './errors.ts'
import type { TSchema } from './schema.ts'

type Checked = { 'x-check'?: (value: unknown) => string | null; 'x-variants'?: Record<string, TSchema>; 'x-tag'?: string }

/** True if a schema accepts a value without the conversions of the server's validator. Includes the outermost `x-check`. */
export function accepts(schema: TSchema, value: unknown): boolean {
  const { 'x-check': check, 'x-variants': variants, 'x-tag': tag } = schema as Checked
  if (variants && tag) {
    const variant = variants[String((value as { [key: string]: unknown })[tag])]
    return variant !== undefined && accepts(variant, value)
  }
  return Value.Check(schema, value) && (check === undefined || check(value) === null)
}

/** Returns the error of a rule, or null if it does not throw. */
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
