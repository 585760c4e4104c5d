import type { Static, TSchema } from '../schema.ts'

/** Largest body in bytes of a route that does not set its own maximum. */
export const BODY_BYTES_MAX = 1_048_576
/** Questions have as many options as the operator allows; templates of custom fields may contain the libraries they use. */
export const SETTINGS_BODY_BYTES_MAX = 8 * BODY_BYTES_MAX
/** Largest body in bytes of routes that accept a username and a password. */
export const SIGN_IN_BODY_BYTES_MAX = 8_192
/** Largest body in bytes of routes that accept a password and are parsed on the HTTP thread. */
export const ACCOUNT_BODY_BYTES_MAX = 65_536

/**
 * A route contract as data: name, inputs, response, and the thread that handles it. The server mounts it, the client calls it,
 * OpenAPI describes it.
 */
export interface Route<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  /** Unique; also the name of the client's method. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with `:name` parameters, relative to the server's base URL. */
  path: string
  tag: string
  summary: string
  status: number
  /** Success statuses other than `status` whose body also matches `response`. */
  otherStatuses?: number[]
  /** False for routes that need no credentials. */
  auth: boolean
  /**
   * Thread that handles the route if the database is the embedded one: `writer` for all writes; `reader` for lists, search and
   * aggregates; `here` (the HTTP thread) for small reads by id only; `apart` (the thread of imports and exports) for slow work.
   */
  runs: 'here' | 'writer' | 'reader' | 'apart'
  /** A query parameter that makes a small read (`here`) larger, so that a reader thread handles the request. */
  readerWith?: string
  /**
   * A reader thread starts the request and the writer thread finishes it. It is a write: it completes even if the client closes
   * the connection.
   */
  endsOnWriter?: boolean
  /** True for writes that a person waits for. They run before bulk writes. */
  urgent?: boolean
  /**
   * True if the route reads many records. A search thread then handles it, so that it does not block the thread for lists. A list
   * of query parameters: only if one of them is present.
   */
  searches?: boolean | readonly string[]
  /**
   * Path parameter that selects the search thread: requests with the same value go to the same thread, which caches their index.
   */
  affinity?: string
  /**
   * True for server-sent events. The use case's result, which matches `response`, is the data of the `progress` event, which is
   * sent first and again after each change.
   */
  stream?: boolean
  /** Largest body in bytes; `BODY_BYTES_MAX` by default. The server's limit applies too. */
  bodyBytesMax?: number
  /** True if the body contains records or suggestions. Only the server's limit applies then. */
  largeBody?: boolean
  /** `form`: the body is a form instead of JSON. `bytes`: the body is not parsed. */
  bodyType?: 'json' | 'form' | 'bytes'
  /** Content type of the response if it is text or a stored file instead of JSON. */
  responseType?: 'image/svg+xml' | 'text/csv' | 'application/octet-stream'
  /** Other content types that a file may have, for the API description. */
  fileTypes?: readonly string[]
  /** Refusals of a route that needs no credentials. Routes that need credentials always have both. */
  refusals?: (401 | 403)[]
  /** If true, a missing body is read as an empty object. */
  optionalBody?: boolean
  params?: Params
  query?: Query
  body?: Body
  response?: Answer
}

export const route = <P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  contract: Omit<Route<P, Q, B, A>, 'auth'> & { auth?: boolean },
): Route<P, Q, B, A> => ({ auth: true, ...contract })

type Input<S> = NonNullable<S> extends TSchema ? Static<NonNullable<S>> : undefined

/** Input of a handler, and argument of the client's method. */
export interface RouteInput<R extends Route> {
  params: Input<R['params']>
  query: Input<R['query']>
  body: Input<R['body']>
}

export type RouteAnswer<R extends Route> = Input<R['response']>
