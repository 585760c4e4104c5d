/** Messages between the main thread, which handles HTTP, and the threads that handle calls: bytes and small plain values only. */
import type { Route, RouteInput } from '@postil/domain/api/route'
import type { Actor } from '@postil/domain/permissions'
import type { AwaitedChange, Headers, StoredFile } from '../lib/answer.ts'
import { toCheckedBytes } from './checked-input.ts'
import type { Credentials } from './expected-actor.ts'
import type { Sender } from './sender.ts'

export interface Call {
  routeId: string
  params: Record<string, string>
  /** The query string as sent. */
  search: string
  contentType: string | null
  body: Uint8Array | null
  /** Validated input from another thread, used instead of path, query and body (`checked-input.ts`). */
  checked?: Uint8Array
  /** Result of the route's `prepare` (`serve.ts`), used instead of the body in `checked`. */
  prepared?: Uint8Array
  /** Null if no credentials were accepted; `refusal` then contains the reason. */
  actor: Actor | null
  refusal: string | null
  /**
   * Set if the actor is only expected: the thread that handles the call confirms that these credentials belong to the actor
   * (`expected-actor.ts`).
   */
  expected?: Credentials | undefined
  sender: Sender
  requestId: string
}

export interface Reply {
  status: number
  contentType: string | null
  body: Uint8Array | null
  headers?: Headers
  /** Sent after the body, in the same response. The promise never rejects. */
  rest?: Promise<Uint8Array>
  /** Error code for telemetry; contains nothing from the request. */
  code?: string
  /** Number of records that a bulk call wrote, for telemetry. */
  records?: number
  /** Stored file to send instead of a body, in full or the requested range. */
  file?: StoredFile
  /** Set if the body is a part of a file; `next` requests the next part and is null for the last one. */
  part?: { name: string; next: InnerCall | null }
  /** Call to make next, instead of sending this reply. */
  next?: InnerCall
  /** Set for long polling: if the change happens in time, the call is repeated; otherwise this reply is sent. */
  waitsFor?: AwaitedChange
  /** True if the settings have changed since the call was prepared: it is prepared and made again, and this reply is not sent. */
  needsPrepare?: boolean
  /** True if the actor is not the expected one: the call is made again, and this reply is not sent. */
  isUnconfirmed?: boolean
  /** Closes the connection after this reply, because the cause of the error may persist. */
  close?: boolean
}

/** A call to an internal route that is not a contract (`OnWriter`). Another thread may have created it. */
export interface InnerCall {
  /** The route without its schemas, which cannot be sent to another thread. */
  route: Route
  input: Uint8Array
}

export function toInnerCall<R extends Route>(inner: R, body: RouteInput<R>['body']): InnerCall {
  const { params: _params, query: _query, body: _body, response: _response, ...route }: Route = inner
  return { route, input: toCheckedBytes({ params: undefined, query: undefined, body }) }
}

/** Makes the inner call on behalf of the caller of `call`. */
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
