/** What a path shows is checked before the body is read: whoever may not do something cannot make the server parse much. */
import type { Route } from '@postil/domain/api/route'
import type { ShapeProblem } from '@postil/domain/errors'
import type { Context, RequestContext } from '../context.ts'
import type { Call } from './call.ts'
import type { Served } from './serve.ts'
import { compileSchema } from './validate.ts'

/** Throws what the route's `admit` throws. Without an actor or a valid path, the checks that follow answer. */
export type Admit = (ctx: Context, contract: Route, call: Omit<Call, 'body'>) => Promise<void>

export function openAdmit(routes: readonly Served[]): Admit {
  const byId = new Map(routes.flatMap(served => (served.admit ? [[served.contract.id, prepare(served)]] : [])))
  return async (ctx, contract, call) => byId.get(contract.id)?.(ctx, call)
}

function prepare({ contract, admit }: Served) {
  const readParams = contract.params && compileSchema(contract.params)
  return async (ctx: Context, { actor, params, requestId, sender }: Omit<Call, 'body'>): Promise<void> => {
    const problems: ShapeProblem[] = []
    const read = readParams?.(params, ['path'], problems)
    if (actor === null || problems.length > 0) return
    const requestCtx: RequestContext = { ...ctx, actor, requestId, sender }
    await admit?.(requestCtx, read as never)
  }
}
