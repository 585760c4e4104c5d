/**
 * Converts an error response into the error that the server threw: same class, code, message and path.
 *
 * The shapes are those of the server's `http/errors.ts`. A body of another shape did not come from the API (a proxy's page, a
 * plain 500) and becomes an UnexpectedAnswerError, so that a proxy's 404 is not mistaken for a deleted dataset.
 */
import {
  DomainError,
  ERROR_CODES,
  type ErrorCode,
  FullReadNeeded,
  type Path,
  ShapeError,
  type ShapeProblem,
} from '@postil/domain/errors'

const SHORT_TEXT_MAX = 300

/** The server or a proxy sent a response that the contract does not define. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  readonly status: number
  /** Beginning of the response body. */
  readonly text: string

  constructor(status: number, text: string) {
    const short = text.length > SHORT_TEXT_MAX ? `${text.slice(0, SHORT_TEXT_MAX)}…` : text
    super(`Unexpected answer with status ${status}${short === '' ? '' : `: ${short}`}`)
    this.status = status
    this.text = short
  }
}

/** `refused`: no connection was made. `broken`: it ended before the response. `timeout`: no response in time. */
export type ConnectionProblem = 'refused' | 'broken' | 'timeout'

/** There was no response. Unless `problem` is `refused`, the server may have processed the request. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly problem: ConnectionProblem

  constructor(problem: ConnectionProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

type Body = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null
const asText = (value: unknown) => (typeof value === 'string' ? value : null)

export function toError(status: number, text: string): DomainError | ShapeError | UnexpectedAnswerError {
  const body = parseBody(text)
  const problems = status === 422 ? findProblems(body) : null
  if (problems) return new ShapeError(problems)
  const message = findMessage(body)
  const code = findCode(status, body)
  if (message === null || code === null) return new UnexpectedAnswerError(status, message ?? text)
  const { at, rest } = splitPlace(message)
  return isFullReadNeeded(code) && typeof body.head === 'number'
    ? new FullReadNeeded(code, rest, { first: typeof body.first === 'number' ? body.first : null, head: body.head })
    : new DomainError(code, rest, at)
}

const isFullReadNeeded = (code: ErrorCode) => code === 'changes_pruned' || code === 'changes_restored'

/** Returns the body as an object; empty if it is anything else. */
function parseBody(text: string): Body {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : {}
  } catch {
    return {}
  }
}

const paramsOf = ({ detail }: Body) => (isObject(detail) && isObject(detail.params) ? detail.params : {})

function findProblems(body: Body): ShapeProblem[] | null {
  const { errors } = paramsOf(body)
  const isProblem = (error: unknown): error is ShapeProblem =>
    isObject(error) && typeof error.type === 'string' && typeof error.msg === 'string' && Array.isArray(error.loc)
  return Array.isArray(errors) && errors.every(isProblem) ? errors : null
}

function findMessage(body: Body): string | null {
  const { detail, message } = paramsOf(body)
  return asText(body.detail) ?? asText(detail) ?? asText(message) ?? (typeof body.code === 'string' ? asText(body.message) : null)
}

/**
 * Returns the code in the body if it belongs to this status, otherwise the first code of the status, which is the general one.
 */
function findCode(status: number, body: Body): ErrorCode | null {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).filter(code => ERROR_CODES[code] === status)
  return codes.find(code => code === body.code) ?? codes[0] ?? null
}

/** Parses the server's format `at items.3.values: text`. A name that contains a dot becomes two path elements. */
function splitPlace(message: string): { at: Path; rest: string } {
  const [, place, rest] = /^at (\S.*?): ([\s\S]*)$/.exec(message) ?? []
  if (place === undefined || rest === undefined) return { at: [], rest: message }
  return { at: place.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step)), rest }
}
