import { ShapeError } from '@postil/domain/errors'
import { parseJson } from './json.ts'

const MAYBE_WRONG = /\\u(0000|d[89a-f])/

/**
 * Returns the item as JSON. Throws a ShapeError if a text has characters that no request may contain: files of some formats can
 * hold NUL characters, and a database cannot store them.
 */
export function checkCharacters(item: unknown): string {
  const text = JSON.stringify(item)
  if (!MAYBE_WRONG.test(text)) return text
  try {
    parseJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    // There is no request body here.
    throw new ShapeError(error.problems.map(problem => ({ ...problem, loc: problem.loc.slice(1) })))
  }
  return text
}
