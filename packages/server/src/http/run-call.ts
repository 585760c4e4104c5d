/**
 * Runs one call: reads and checks its input (`read-input.ts`), then runs the use case. Never throws: every failure becomes a
 * reply.
 */
import type { Route } from '@postil/domain/api/route'
import type { Context, RequestContext } from '../context.ts'
import {
  InParts,
  JsonText,
  OnWriter,
  PrepareAgain,
  StoredFile,
  WhenChanged,
  WithHeaders,
  WithRecords,
  WithStatus,
} from '../lib/answer.ts'
import { type Call, jsonReply, type Reply, textReply, toInnerCall } from './call.ts'
import { toErrorReply } from './errors.ts'
import { runExpected } from './expected-actor.ts'
import { createReadInput } from './read-input.ts'
import type { Served } from './serve.ts'

export type RunCall = (ctx: Context, call: Call) => Promise<Reply>

export function createRunCall(routes: readonly Served[]): RunCall {
  const byId = new Map(routes.map(served => [served.contract.id, createHandler(served)]))
  const answer: RunCall = async (ctx, call) => {
    const run = byId.get(call.routeId)
    if (!run) throw new Error(`no route \`${call.routeId}\``)
    return run(ctx, call)
  }
  const safely =
    (run: RunCall): RunCall =>
    async (ctx, call) => {
      try {
        return await run(ctx, call)
      } catch (error) {
        const reply = toErrorReply(error, ctx.log, call.requestId)
        return error instanceof PrepareAgain ? { ...reply, needsPrepare: true } : reply
      }
    }
  const usual = safely(answer)
  // An error reply, too, counts only if the actor is confirmed.
  const early = safely((ctx, call) => runExpected(ctx, call, confirming => usual(confirming, call)))
  return (ctx, call) => (call.expected ? early(ctx, call) : usual(ctx, call))
}

function createHandler({ contract, handle }: Served): RunCall {
  const readInput = createReadInput(contract)
  return async (ctx, call) => {
    const input = await readInput(call)
    // Open routes get no actor; the type of their handlers does not have one (serveOpen).
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
  if (value instanceof InParts) {
    const next = value.next && toInnerCall(value.next.route, value.next.body)
    return { status, contentType: value.file.mediaType, body: value.bytes, part: { name: value.file.name, next } }
  }
  if (value instanceof StoredFile) return { status, contentType: null, body: null, file: value }
  if (value instanceof JsonText) return textReply(status, value.text)
  if (status === 204) return { status, contentType: null, body: null }
  if (responseType !== undefined) return textReply(status, String(value), `${responseType}; charset=utf-8`)
  return jsonReply(status, value)
}
