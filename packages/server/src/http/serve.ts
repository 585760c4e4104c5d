/** A contract bound to the use case that answers it. Features list these; `run-call.ts` runs them in any thread. */
import type { Route, RouteAnswer, RouteInput } from '@postil/domain/api/route'
import type { OpenContext, RequestContext } from '../context.ts'
import type { JsonText, OnWriter, WhenChanged, WithHeaders, WithRecords, WithStatus } from '../lib/answer.ts'

type Answer<R extends Route> =
  | RouteAnswer<R>
  | JsonText
  | WithStatus
  | WithHeaders
  | WithRecords
  | OnWriter
  | WhenChanged
  | undefined

export interface Served {
  contract: Route
  handle(ctx: RequestContext, input: { params: never; query: never; body: never }, prepared?: Uint8Array): Promise<unknown>
  admit?: ((ctx: RequestContext, params: never) => Promise<void>) | undefined
  prepare?: ((ctx: RequestContext, input: { params: never; query: never; body: never }) => Promise<Uint8Array | null>) | undefined
}

interface ServeOptions<R extends Route> {
  /**
   * Throws when the path alone shows that the caller may not do this. It runs before the body is read, on the thread that
   * speaks HTTP: a few reads by id, nothing more.
   */
  admit?: (ctx: RequestContext, params: RouteInput<R>['params']) => Promise<void>
  /**
   * For routes of the writer: does the part of the work that needs only settings, in the checker thread, if the body is large. `handle`
   * then gets the bytes, and its `body` is undefined; it throws `PrepareAgain` if the settings have changed since. Null: `handle` gets the
   * body.
   */
  prepare?: (ctx: RequestContext, input: RouteInput<R>) => Promise<Uint8Array | null>
}

/** For routes that need credentials. */
export const serve = <R extends Route>(
  contract: R,
  handle: (ctx: RequestContext, input: RouteInput<R>, prepared?: Uint8Array) => Promise<Answer<R>>,
  { admit, prepare }: ServeOptions<R> = {},
): Served => ({
  contract,
  handle,
  admit,
  prepare,
})

/** For routes that anybody may call: their use cases get no actor. */
export const serveOpen = <R extends Route>(
  contract: R,
  handle: (ctx: OpenContext, input: RouteInput<R>) => Promise<Answer<R>>,
): Served => ({
  contract,
  handle,
})
