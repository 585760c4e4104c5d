/**
 * One call, in the order existing clients rely on: JSON syntax, `include`, credentials, shape of path, query and body,
 * then the use case. It never throws: every failure is a reply.
 */
import type { Route } from '@postil/domain/api/route'
import { DomainError, ShapeError, type ShapeProblem } from '@postil/domain/errors'
import type { TSchema } from '@postil/domain/schema'
import { parseInclude } from '@postil/domain/search/include'
import { RecordIncludes } from '@postil/domain/search/query'
import type { Context, RequestContext } from '../context.ts'
import { JsonText, OnWriter, WithHeaders, WithStatus } from '../lib/answer.ts'
import { type Call, jsonReply, type Reply, textReply } from './call.ts'
import { toErrorReply } from './errors.ts'
import { parseForm } from './form.ts'
import { parseJson } from './json.ts'
import type { Served } from './serve.ts'
import { compileSchema, type Validator, validateQuery } from './validate.ts'

export type RunCall = (ctx: Context, call: Call) => Promise<Reply>

export function openRunCall(routes: readonly Served[]): RunCall {
  const byId = new Map(routes.map(served => [served.contract.id, prepare(served)]))
  return async (ctx, call) => {
    try {
      const run = byId.get(call.routeId)
      if (!run) throw new Error(`no route \`${call.routeId}\``)
      return await run(ctx, call)
    } catch (error) {
      return toErrorReply(error, ctx.log, call.requestId)
    }
  }
}

function prepare({ contract, handle }: Served): RunCall {
  const validate = openValidation(contract)
  const { properties } = (contract.query ?? {}) as { properties?: { include?: TSchema } }
  const hasInclude = properties?.include === RecordIncludes
  return async (ctx, call) => {
    const body = contract.body ? await readBody(call, contract.bodyType ?? 'json') : undefined
    const search = new URLSearchParams(call.search)
    if (hasInclude) parseInclude(search.getAll('include'))
    if (contract.auth && !call.actor) throw new DomainError('unauthenticated', call.refusal ?? 'Credentials are missing')
    const input = validate(call.params, search, body)
    // Open routes get no actor; their handlers' type says so (serveOpen).
    const requestCtx = { ...ctx, actor: call.actor, requestId: call.requestId, sender: call.sender } as RequestContext
    return toReply(contract, await handle(requestCtx, input as never))
  }
}

const NOT_AN_OBJECT = Symbol('not an object')

async function readBody(call: Call, type: 'json' | 'form'): Promise<unknown> {
  const contentType = call.contentType?.trim() ?? ''
  if (type === 'form') return parseForm(call.body, call.contentType)
  if (call.body === null || call.body.length === 0) return undefined
  if (contentType === '' || /^application\/([^;,]+\+)?json\s*(;|$)/i.test(contentType)) return parseJson(call.body)
  return NOT_AN_OBJECT
}

function openValidation(contract: Served['contract']) {
  const params = contract.params && compileSchema(contract.params)
  const body = contract.body && compileSchema(contract.body)
  return (pathParams: Record<string, string>, search: URLSearchParams, given: unknown) => {
    const problems: ShapeProblem[] = []
    const input = {
      params: params?.(pathParams, ['path'], problems),
      query: contract.query && validateQuery(contract.query as TSchema, search, problems),
      body: body && validateBody(body, given, problems),
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

function toReply(contract: Pick<Route, 'status' | 'responseType'>, value: unknown): Reply {
  const { status, responseType } = contract
  if (value instanceof WithStatus) return toReply({ ...contract, status: value.status }, value.value)
  if (value instanceof WithHeaders) return { ...toReply(contract, value.value), headers: value.headers }
  if (value instanceof OnWriter) return { status, contentType: null, body: null, next: value }
  if (value instanceof JsonText) return textReply(status, value.text)
  if (status === 204) return { status, contentType: null, body: null }
  if (responseType !== undefined) return textReply(status, String(value), `${responseType}; charset=utf-8`)
  return jsonReply(status, value)
}
