/**
 * Checks permissions from the path before the body is read, so that unauthorized requests cannot make the server parse large
 * bodies.
 */
import type { Route } from '@postil/domain/api/route'
import type { ShapeProblem } from '@postil/domain/errors'
import type { Context, RequestContext } from '../context.ts'
import type { Call } from './call.ts'
import type { Served } from './serve.ts'
import { compileSchema } from './validate.ts'

/** Runs the route's `admit` and throws its errors. Does nothing without an actor or a valid path: later checks report those. */
export type Admit = (ctx: Context, contract: Route, call: Omit<Call, 'body'>) => Promise<void>

export function createAdmit(routes: readonly Served[]): Admit {
  const byId = new Map(routes.flatMap(served => (served.admit ? [[served.contract.id, createCheck(served)]] : [])))
  return async (ctx, contract, call) => byId.get(contract.id)?.(ctx, call)
}

function createCheck({ contract, admit }: Served) {
  const readParams = contract.params && compileSchema(contract.params)
  return async (ctx: Context, { actor, params, requestId, sender }: Omit<Call, 'body'>): Promise<void> => {
    const problems: ShapeProblem[] = []
    const read = readParams?.(params, ['path'], problems)
    if (actor === null || problems.length > 0) return
    const requestCtx: RequestContext = { ...ctx, actor, requestId, sender }
    await admit?.(requestCtx, read as never)
  }
}
