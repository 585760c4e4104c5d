/**
 * An answer that is no success -> the error that the server threw, rebuilt: the same class, code, message and place.
 *
 * The shapes are those of the server's `http/errors.ts`. A body of another shape did not come from the API (a proxy's page,
 * a bare 500) and becomes an UnexpectedAnswerError, so that nobody takes a proxy's 404 for a dataset that is gone.
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

/** The server, or something between, gave an answer that the contract does not know. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  readonly status: number
  /** What the answer said, cut short. */
  readonly text: string

  constructor(status: number, text: string) {
    const short = text.length > SHORT_TEXT_MAX ? `${text.slice(0, SHORT_TEXT_MAX)}…` : text
    super(`Unexpected answer with status ${status}${short === '' ? '' : `: ${short}`}`)
    this.status = status
    this.text = short
  }
}

/** `refused`: no connection was made. `broken`: it ended before the answer. `timeout`: no answer in time. */
export type ConnectionProblem = 'refused' | 'broken' | 'timeout'

/** There is no answer. Unless `problem` is `refused`, the server may have done what it was asked. */
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

/** The body as an object; empty for anything else. */
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

/** The code that the body names, when it is one of this status; else the status's first, which is the general one. */
function findCode(status: number, body: Body): ErrorCode | null {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).filter(code => ERROR_CODES[code] === status)
  return codes.find(code => code === body.code) ?? codes[0] ?? null
}

/** `at items.3.values: text`, as the server writes it. A name that holds a dot comes back as two steps. */
function splitPlace(message: string): { at: Path; rest: string } {
  const [, place, rest] = /^at (\S.*?): ([\s\S]*)$/.exec(message) ?? []
  if (place === undefined || rest === undefined) return { at: [], rest: message }
  return { at: place.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step)), rest }
}
