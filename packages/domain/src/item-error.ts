/**
 * Error of one item of a bulk request, for programs: the code, and the path of the invalid value in the item. Added to the text
 * that existing clients read.
 */
import { type DomainError, ERROR_CODES, type ErrorCode, type Path } from './errors.ts'
import { AnyOf, Int, List, OneOf, Optional, Text } from './schema.ts'

const CODES = Object.keys(ERROR_CODES) as ErrorCode[]

/** Both are missing in failures that an earlier version stored. */
export const ITEM_ERROR = {
  code: Optional(OneOf(CODES)),
  /** E.g. `['values', 'mood', 'value']`. */
  at: Optional(List(AnyOf({ str: Text(), int: Int() }))),
}

/** Removes the path that `explanation` puts in front of the message. */
export function withoutPath(explanation: string, at: Path): string {
  const place = `at ${at.join('.')}: `
  return at.length > 0 && explanation.startsWith(place) ? explanation.slice(place.length) : explanation
}

export const toItemError = ({ code, at }: DomainError) => ({ code, at: [...at] })
