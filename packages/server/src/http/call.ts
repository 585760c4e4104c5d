/** What crosses from the thread that speaks HTTP to the thread that answers, and back: bytes and small plain values only. */
import type { Route, RouteInput } from '@postil/domain/api/route'
import type { Actor } from '@postil/domain/permissions'
import type { AwaitedChange, Headers } from '../lib/answer.ts'
import { toCheckedBytes } from './checked-input.ts'
import type { Sender } from './sender.ts'

export interface Call {
  routeId: string
  params: Record<string, string>
  /** The query string as sent. */
  search: string
  contentType: string | null
  body: Uint8Array | null
  /** In place of path, query and body: what another thread has read and checked (`checked-input.ts`). */
  checked?: Uint8Array
  /** In place of the body in `checked`: what the route's `prepare` made of it (`serve.ts`). */
  prepared?: Uint8Array
  /** Null when no credentials were accepted; then `refusal` says why. */
  actor: Actor | null
  refusal: string | null
  sender: Sender
  requestId: string
}

export interface Reply {
  status: number
  contentType: string | null
  body: Uint8Array | null
  headers?: Headers
  /** Of a failure, for telemetry: a word of ours and nothing of the request. */
  code?: string
  /** How many records a bulk wrote, for telemetry. */
  records?: number
  /** The call to make next instead of sending this. */
  next?: InnerCall
  /** This may be sent later: when the change has come, the call is made again instead. */
  waitsFor?: AwaitedChange
  /** The call was prepared with settings that have changed since. It is to be prepared and made again instead of sending this. */
  again?: boolean
  /** The connection ends after this reply: something is wrong that may not be over. */
  close?: boolean
}

/** A call of a route that is not a contract (`OnWriter`). It may come from another thread. */
export interface InnerCall {
  /** Without its schemas, which cannot be sent to another thread. */
  route: Route
  input: Uint8Array
}

export function toInnerCall<R extends Route>(inner: R, body: RouteInput<R>['body']): InnerCall {
  const { params: _params, query: _query, body: _body, response: _response, ...route }: Route = inner
  return { route, input: toCheckedBytes({ params: undefined, query: undefined, body }) }
}

/** The inner call, in the name of the caller of `call`. */
export const continueCall = (call: Call, { route, input }: InnerCall): Call => ({
  ...call,
  routeId: route.id,
  params: {},
  search: '',
  contentType: null,
  body: null,
  checked: input,
})

const encoder = new TextEncoder()

export const textReply = (status: number, text: string, contentType = 'application/json'): Reply => ({
  status,
  contentType,
  body: encoder.encode(text),
})

export const jsonReply = (status: number, value: unknown): Reply => textReply(status, JSON.stringify(value))
