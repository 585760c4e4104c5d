/**
 * Validates and prepares large bodies in the checker thread, before the writer gets them. Never throws: every failure becomes a
 * reply.
 */
import type { Context, RequestContext } from '../context.ts'
import type { Call, Reply } from './call.ts'
import { toCheckedBytes } from './checked-input.ts'
import { toErrorReply } from './errors.ts'
import { createReadInput } from './read-input.ts'
import type { Served } from './serve.ts'

/**
 * The input that the writer gets instead of the body, or the reply to an invalid call. `body` is returned along with `prepared`,
 * because the preparation may have to be repeated.
 */
export type CheckedCall = { checked: Uint8Array; prepared?: Uint8Array; body: Uint8Array | null } | { refusal: Reply }

export type CheckCall = (ctx: Context, call: Call) => Promise<CheckedCall>

export function createCheckCall(routes: readonly Served[]): CheckCall {
  const byId = new Map(routes.map(served => [served.contract.id, createCheck(served)]))
  return async (ctx, call) => {
    try {
      const check = byId.get(call.routeId)
      if (!check) throw new Error(`no route \`${call.routeId}\``)
      return await check(ctx, call)
    } catch (error) {
      return { refusal: toErrorReply(error, ctx.log, call.requestId) }
    }
  }
}

function createCheck({ contract, prepare }: Served): CheckCall {
  const readInput = createReadInput(contract)
  return async (ctx, call) => {
    const { body } = call
    const input = await readInput(call)
    const { actor, requestId, sender } = call
    // The actor is not null: routes with `prepare` require authentication, which `readInput` has checked.
    const prepared = (await prepare?.({ ...ctx, actor, requestId, sender } as RequestContext, input as never)) ?? null
    if (prepared === null) return { checked: toCheckedBytes(input), body: null }
    return { checked: toCheckedBytes({ ...input, body: undefined }), prepared, body }
  }
}
