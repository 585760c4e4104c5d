/** One call: its input is read and checked (`read-input.ts`), then the use case runs. It never throws: every failure is a reply. */
import type { Route } from '@postil/domain/api/route'
import type { Context, RequestContext } from '../context.ts'
import { JsonText, OnWriter, PrepareAgain, WhenChanged, WithHeaders, WithRecords, WithStatus } from '../lib/answer.ts'
import { type Call, jsonReply, type Reply, textReply, toInnerCall } from './call.ts'
import { toErrorReply } from './errors.ts'
import { openReadInput } from './read-input.ts'
import type { Served } from './serve.ts'

export type RunCall = (ctx: Context, call: Call) => Promise<Reply>

export function openRunCall(routes: readonly Served[]): RunCall {
  const byId = new Map(routes.map(served => [served.contract.id, prepare(served)]))
  return async (ctx, call) => {
    try {
      const run = byId.get(call.routeId)
      if (!run) throw new Error(`no route \`${call.routeId}\``)
      return await run(ctx, call)
    } catch (error) {
      const reply = toErrorReply(error, ctx.log, call.requestId)
      return error instanceof PrepareAgain ? { ...reply, again: true } : reply
    }
  }
}

function prepare({ contract, handle }: Served): RunCall {
  const readInput = openReadInput(contract)
  return async (ctx, call) => {
    const input = await readInput(call)
    // Open routes get no actor; their handlers' type says so (serveOpen).
    const requestCtx = { ...ctx, actor: call.actor, requestId: call.requestId, sender: call.sender } as RequestContext
    return toReply(contract, await handle(requestCtx, input as never, call.prepared))
  }
}

function toReply(contract: Pick<Route, 'status' | 'responseType'>, value: unknown): Reply {
  const { status, responseType } = contract
  if (value instanceof WithStatus) return toReply({ ...contract, status: value.status }, value.value)
  if (value instanceof WithHeaders) return { ...toReply(contract, value.value), headers: value.headers }
  if (value instanceof WithRecords) return { ...toReply(contract, value.value), records: value.records }
  if (value instanceof WhenChanged) return { ...toReply(contract, value.value), waitsFor: value.change }
  if (value instanceof OnWriter) return { status, contentType: null, body: null, next: toInnerCall(value.route, value.body) }
  if (value instanceof JsonText) return textReply(status, value.text)
  if (status === 204) return { status, contentType: null, body: null }
  if (responseType !== undefined) return textReply(status, String(value), `${responseType}; charset=utf-8`)
  return jsonReply(status, value)
}
