import type { Static, TSchema } from '../schema.ts'

/** Largest body in bytes of a route that does not set its own maximum. */
export const BODY_BYTES_MAX = 1_048_576
/** Largest body in bytes of routes that take a username and a password. */
export const SIGN_IN_BODY_BYTES_MAX = 8_192
/** Largest body in bytes of routes that take a password and are parsed on the thread that speaks HTTP. */
export const ACCOUNT_BODY_BYTES_MAX = 65_536

/**
 * A contract as data: what a route is called, what it takes, what it answers and which thread answers it.
 * The server mounts it, the client calls it, OpenAPI describes it.
 */
export interface Route<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  /** Unique; the name of the client's method too. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` parameters, below the server's base URL. */
  path: string
  tag: string
  summary: string
  status: number
  /** Other statuses than `status` with an answer of the shape of `response`. */
  otherStatuses?: number[]
  /** False for routes that need no credentials. */
  auth: boolean
  /**
   * Where it runs when the database is the embedded one: `writer` for everything that writes, `reader` for lists, search
   * and aggregates, `here` (the thread that speaks HTTP) for small reads by id only.
   */
  runs: 'here' | 'writer' | 'reader'
  /** With this query parameter a small read (`here`) becomes a larger one, which a reader answers. */
  readerWith?: string
  /** A reader begins it and the writer ends it. It is a write: it is done even if the caller has closed the connection. */
  endsOnWriter?: boolean
  /** Writes that a person waits for go before bulk writes. */
  urgent?: boolean
  /**
   * It runs over many records, so that a search thread answers it and not the one for lists, which others wait for. Names of
   * query parameters: when one of them is given.
   */
  searches?: boolean | readonly string[]
  /** Which search thread answers: calls with the same value of this path parameter go to the same one, which keeps their index in memory. */
  affinity?: string
  /**
   * The answer never ends: server-sent events. What the use case answers, of the shape of `response`, is the data of the
   * event `progress`, which is sent first and again when it changes.
   */
  stream?: boolean
  /** Largest body in bytes; `BODY_BYTES_MAX` by default. The server's own limit applies too. */
  bodyBytesMax?: number
  /** The body carries records or suggestions: only the server's own limit applies. */
  largeBody?: boolean
  /** `form`: the body is a form instead of JSON. */
  bodyType?: 'json' | 'form'
  /** The answer is a text of this type instead of JSON. */
  responseType?: 'image/svg+xml'
  /** Refusals of a route that needs no credentials. Routes that need them always have both. */
  refusals?: (401 | 403)[]
  params?: Params
  query?: Query
  body?: Body
  response?: Answer
}

export const route = <P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  contract: Omit<Route<P, Q, B, A>, 'auth'> & { auth?: boolean },
): Route<P, Q, B, A> => ({ auth: true, ...contract })

type Input<S> = NonNullable<S> extends TSchema ? Static<NonNullable<S>> : undefined

/** What a handler gets and a client gives. */
export interface RouteInput<R extends Route> {
  params: Input<R['params']>
  query: Input<R['query']>
  body: Input<R['body']>
}

export type RouteAnswer<R extends Route> = Input<R['response']>
