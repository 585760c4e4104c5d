import type { Route } from '@postil/domain/api/route'
import { type CallAnswer, type CallInput, type CallOptions, type Connection, call, type Fetch } from './call.ts'
import { type Contracts, listContracts } from './contracts.ts'

const TIMEOUT_MS = 60_000
const BATCH_SIZE = 100

/** The input is optional if nothing in it is required. */
type Arguments<R extends Route> =
  Record<never, never> extends CallInput<R>
    ? [input?: CallInput<R>, options?: CallOptions]
    : [input: CallInput<R>, options?: CallOptions]

type Methods = { [Id in keyof Contracts]: (...given: Arguments<Contracts[Id]>) => Promise<CallAnswer<Contracts[Id]>> }

/** One method for each contract, named after its id: `client.createDataset({ body })`, `client.listFields({ params })`. */
export interface Client extends Methods {
  /** Calls any contract, also one without a method in this client. */
  call<R extends Route>(route: R, ...given: Arguments<R>): Promise<CallAnswer<R>>
  /** Default number of records that helpers such as `writeRecords` send in one call. */
  readonly batchSize: number
}

export interface ClientOptions {
  /** URL of the server, including its base path. Empty in pages that the server itself serves. */
  url: string
  apiKey?: string
  /** Access token from `createToken`; see `signIn`. */
  token?: string
  fetch?: Fetch
  /** Timeout of each attempt. */
  timeoutMs?: number
  batchSize?: number
}

export function createClient(options: ClientOptions): Client {
  const connection = toConnection(options)
  const callOf = <R extends Route>(route: R, ...[input, callOptions]: Arguments<R>) =>
    // The input can only be omitted if nothing in it is required, but the compiler cannot derive that for a generic contract.
    call(connection, route, input ?? ({} as CallInput<R>), callOptions)
  const methods = listContracts().map(route => [route.id, (...given: Arguments<Route>) => callOf(route, ...given)])
  // The keys are the ids of the contracts; client.test.ts compares them with the routes that the server mounts.
  return { ...(Object.fromEntries(methods) as Methods), call: callOf, batchSize: options.batchSize ?? BATCH_SIZE }
}

/**
 * Creates a client for the user with this name and password. It works until the server's token expires, by default after one day.
 */
export async function signIn(
  options: Omit<ClientOptions, 'apiKey' | 'token'> & { username: string; password: string },
): Promise<Client> {
  const { username, password, ...rest } = options
  const { access_token } = await createClient(rest).createToken({ body: { username, password } })
  return createClient({ ...rest, token: access_token })
}

function toConnection({ url, apiKey, token, fetch, timeoutMs }: ClientOptions): Connection {
  // In `localhost:6900`, `localhost` would be parsed as the scheme.
  if (!/^(https?:\/\/|\/|$)/i.test(url)) throw new TypeError(`\`url\` should begin with http:// or https://, not \`${url}\``)
  const credentials: Record<string, string> = {}
  if (apiKey !== undefined) credentials['x-argilla-api-key'] = apiKey
  if (token !== undefined) credentials.authorization = `Bearer ${token}`
  return {
    url: url.replace(/\/+$/, ''),
    credentials,
    // Wrapped because browsers reject `fetch` if it is called as a method of another object.
    fetch: fetch ?? ((target, init) => globalThis.fetch(target, init)),
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
  }
}
