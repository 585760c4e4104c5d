/** Expected failures of commands, with exit code 1. Usage errors are commander's errors, with exit code 2. */
import { ConnectionError, DomainError, ShapeError, UnexpectedAnswerError } from '@postil/client'

export class Failure extends Error {
  override readonly name = 'Failure'
  readonly title: string

  constructor(title: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.title = title
  }
}

/** Returns the explanation from the server or the connection, or null for any other error, which is a bug. */
export function findReason(error: unknown): string | null {
  if (error instanceof ShapeError) return error.problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  if (error instanceof DomainError) return error.explanation
  if (error instanceof ConnectionError || error instanceof UnexpectedAnswerError) return error.message
  return null
}

export const hasCode = (error: unknown, code: DomainError['code']): boolean => error instanceof DomainError && error.code === code

/** Runs calls to the server and turns their errors into a failure with this title, unless `known` returns a more specific one. */
export async function orFail<T>(
  title: string,
  work: () => Promise<T>,
  known: (error: unknown) => Failure | null = () => null,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = findReason(error)
    if (reason === null) throw error
    throw known(error) ?? new Failure(title, reason, { cause: error })
  }
}

/** Returns why the server refused the values as invalid, or null for any other error. */
export function findInvalid(error: unknown): string | null {
  const isInvalid = error instanceof ShapeError || hasCode(error, 'unprocessable')
  return isInvalid ? findReason(error) : null
}
