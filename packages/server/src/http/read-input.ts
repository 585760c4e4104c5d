/**
 * All checks before a use case runs, in the order that existing clients rely on: JSON syntax, `include`, credentials, then the
 * shape of path, query and body.
 */
import type { Route } from '@postil/domain/api/route'
import { DomainError, ShapeError, type ShapeProblem } from '@postil/domain/errors'
import type { TSchema } from '@postil/domain/schema'
import { parseInclude } from '@postil/domain/search/include'
import { RecordIncludes } from '@postil/domain/search/query'
import type { Call } from './call.ts'
import { type Input, readCheckedBytes } from './checked-input.ts'
import { parseForm } from './form.ts'
import { parseJson } from './json.ts'
import { compileSchema, type Validator, validateQuery } from './validate.ts'

/** Returns the input of the use case. Throws a ShapeError or a DomainError. */
export type ReadInput = (call: Call) => Promise<Input>

export function createReadInput(contract: Route): ReadInput {
  // Compiled on the first call: every thread has all routes but handles only a few of them.
  let validate: Validate | null = null
  const { properties } = (contract.query ?? {}) as { properties?: { include?: TSchema } }
  const hasInclude = properties?.include === RecordIncludes
  return async call => {
    if (call.checked) {
      checkActor(contract, call)
      return readCheckedBytes(call.checked)
    }
    const read = contract.body ? await readBody(call, contract.bodyType ?? 'json') : undefined
    const body = contract.optionalBody ? (read ?? {}) : read
    const search = new URLSearchParams(call.search)
    if (hasInclude) parseInclude(search.getAll('include'))
    checkActor(contract, call)
    validate ??= createValidation(contract)
    return validate(call.params, search, body)
  }
}

function checkActor({ auth }: Route, { actor, refusal }: Call): void {
  if (auth && !actor) throw new DomainError('unauthenticated', refusal ?? 'Credentials are missing')
}

const NOT_AN_OBJECT = Symbol('not an object')

async function readBody(call: Call, type: 'json' | 'form' | 'bytes'): Promise<unknown> {
  if (type === 'bytes') return call.body ?? new Uint8Array(0)
  const contentType = call.contentType?.trim() ?? ''
  if (type === 'form') return parseForm(call.body, call.contentType)
  if (call.body === null || call.body.length === 0) return undefined
  if (contentType !== '' && !/^application\/([^;,]+\+)?json\s*(;|$)/i.test(contentType)) return NOT_AN_OBJECT
  return parseJson(call.body)
}

type Validate = (params: Record<string, string>, search: URLSearchParams, body: unknown) => Input

function createValidation(contract: Route): Validate {
  const params = contract.params && compileSchema(contract.params)
  const body = contract.body && contract.bodyType !== 'bytes' && compileSchema(contract.body)
  return (pathParams, search, given) => {
    const problems: ShapeProblem[] = []
    const input = {
      params: params?.(pathParams, ['path'], problems),
      query: contract.query && validateQuery(contract.query as TSchema, search, problems),
      body: contract.bodyType === 'bytes' ? given : body && validateBody(body, given, problems),
    }
    if (problems.length > 0) throw new ShapeError(problems)
    return input
  }
}

function validateBody(validator: Validator, given: unknown, problems: ShapeProblem[]): unknown {
  if (given === undefined || given === null) {
    problems.push({ type: 'missing', loc: ['body'], msg: 'a JSON object is required here' })
    return undefined
  }
  return validator(given === NOT_AN_OBJECT ? '' : given, ['body'], problems)
}
