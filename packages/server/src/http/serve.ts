/** A contract bound to the use case that answers it. Features list these; `run-call.ts` runs them in any thread. */
import type { Route, RouteAnswer, RouteInput } from '@postil/domain/api/route'
import type { Context, RequestContext } from '../context.ts'

/** An answer that is JSON text already: lists of records are put together from stored JSON without parsing it. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An answer with another status than the contract's usual one. */
export class WithStatus {
  readonly status: number
  readonly value: unknown
  constructor(status: number, value: unknown) {
    this.status = status
    this.value = value
  }
}

type Answer<R extends Route> = RouteAnswer<R> | JsonText | WithStatus | undefined

export interface Served {
  contract: Route
  handle(ctx: RequestContext, input: { params: never; query: never; body: never }): Promise<unknown>
}

/** For routes that need credentials. */
export const serve = <R extends Route>(
  contract: R,
  handle: (ctx: RequestContext, input: RouteInput<R>) => Promise<Answer<R>>,
): Served => ({
  contract,
  handle,
})

/** For routes that anybody may call: their use cases get no actor. */
export const serveOpen = <R extends Route>(
  contract: R,
  handle: (ctx: Context, input: RouteInput<R>) => Promise<Answer<R>>,
): Served => ({
  contract,
  handle,
})
