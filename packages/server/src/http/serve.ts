/** A contract bound to the use case that handles it. Features list these; `run-call.ts` runs them in any thread. */
import type { Route, RouteAnswer, RouteInput } from '@postil/domain/api/route'
import type { OpenContext, RequestContext } from '../context.ts'
import type { InParts, JsonText, OnWriter, StoredFile, WhenChanged, WithHeaders, WithRecords, WithStatus } from '../lib/answer.ts'

type Answer<R extends Route> =
  | RouteAnswer<R>
  | JsonText
  | WithStatus
  | WithHeaders
  | WithRecords
  | OnWriter
  | StoredFile
  | InParts
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
   * Throws if the path alone shows that the caller may not do this. Runs before the body is read, on the main thread, so it must
   * only do a few reads by id.
   */
  admit?: (ctx: RequestContext, params: RouteInput<R>['params']) => Promise<void>
  /**
   * For routes of the writer: if the body is large, does the work that depends only on settings in the checker thread. `handle`
   * then gets the returned bytes instead of `body`, which is undefined; it throws `PrepareAgain` if the settings have changed
   * since. If null is returned, `handle` gets the body.
   */
  prepare?: (ctx: RequestContext, input: RouteInput<R>) => Promise<Uint8Array | null>
}

/** For routes that require authentication. */
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

/** For routes without authentication: their use cases get no actor. */
export const serveOpen = <R extends Route>(
  contract: R,
  handle: (ctx: OpenContext, input: RouteInput<R>) => Promise<Answer<R>>,
): Served => ({
  contract,
  handle,
})
