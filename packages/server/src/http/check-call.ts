/** What is done with a large body before the writer gets it, in the checker thread. It never throws: every failure is a reply. */
import type { Context, RequestContext } from '../context.ts'
import type { Call, Reply } from './call.ts'
import { toCheckedBytes } from './checked-input.ts'
import { toErrorReply } from './errors.ts'
import { openReadInput } from './read-input.ts'
import type { Served } from './serve.ts'

/**
 * What the writer gets in place of the body, or the answer to a call with a fault. The body comes back with what was prepared of it,
 * because that may have to be done again.
 */
export type CheckedCall = { checked: Uint8Array; prepared?: Uint8Array; body: Uint8Array | null } | { refusal: Reply }

export type CheckCall = (ctx: Context, call: Call) => Promise<CheckedCall>

export function openCheckCall(routes: readonly Served[]): CheckCall {
  const byId = new Map(routes.map(served => [served.contract.id, openCheck(served)]))
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

function openCheck({ contract, prepare }: Served): CheckCall {
  const readInput = openReadInput(contract)
  return async (ctx, call) => {
    const { body } = call
    const input = await readInput(call)
    const { actor, requestId, sender } = call
    // Routes that prepare need credentials, which were checked with the input.
    const prepared = (await prepare?.({ ...ctx, actor, requestId, sender } as RequestContext, input as never)) ?? null
    if (prepared === null) return { checked: toCheckedBytes(input), body: null }
    return { checked: toCheckedBytes({ ...input, body: undefined }), prepared, body }
  }
}
