import type { Route } from '@postil/domain/api/route'
import { type CallAnswer, type CallInput, type CallOptions, type Connection, call, type Fetch } from './call.ts'
import { type Contracts, listContracts } from './contracts.ts'

const TIMEOUT_MS = 60_000
const BATCH_SIZE = 100

/** The input may be left out where it has nothing that is required. */
type Arguments<R extends Route> =
  Record<never, never> extends CallInput<R>
    ? [input?: CallInput<R>, options?: CallOptions]
    : [input: CallInput<R>, options?: CallOptions]

type Methods = { [Id in keyof Contracts]: (...given: Arguments<Contracts[Id]>) => Promise<CallAnswer<Contracts[Id]>> }

/** One method for each contract, named by its id: `client.createDataset({ body })`, `client.listFields({ params })`. */
export interface Client extends Methods {
  /** Calls any contract, also one that this client has no method for. */
  call<R extends Route>(route: R, ...given: Arguments<R>): Promise<CallAnswer<R>>
  /** How many records the comforts send in one call, unless told otherwise. */
  readonly batchSize: number
}

export interface ClientOptions {
  /** Of the server, with its base path if it has one. Empty in pages that the server itself serves. */
  url: string
  apiKey?: string
  /** Of `createToken`; see `signIn`. */
  token?: string
  fetch?: Fetch
  /** For each try of a call. */
  timeoutMs?: number
  batchSize?: number
}

export function createClient(options: ClientOptions): Client {
  const connection = toConnection(options)
  const callOf = <R extends Route>(route: R, ...[input, callOptions]: Arguments<R>) =>
    // Where the input is left out, nothing in it is required; the compiler cannot see that for every contract at once.
    call(connection, route, input ?? ({} as CallInput<R>), callOptions)
  const methods = listContracts().map(route => [route.id, (...given: Arguments<Route>) => callOf(route, ...given)])
  // The keys are the ids of the contracts: client.test.ts compares them with the list that the server mounts.
  return { ...(Object.fromEntries(methods) as Methods), call: callOf, batchSize: options.batchSize ?? BATCH_SIZE }
}

/** A client for the user with this name and password; ends when the server's token does, a day unless configured. */
export async function signIn(
  options: Omit<ClientOptions, 'apiKey' | 'token'> & { username: string; password: string },
): Promise<Client> {
  const { username, password, ...rest } = options
  const { access_token } = await createClient(rest).createToken({ body: { username, password } })
  return createClient({ ...rest, token: access_token })
}

function toConnection({ url, apiKey, token, fetch, timeoutMs }: ClientOptions): Connection {
  // `localhost:6900` would be read as a scheme.
  if (!/^(https?:\/\/|\/|$)/i.test(url)) throw new TypeError(`\`url\` should begin with http:// or https://, not \`${url}\``)
  const credentials: Record<string, string> = {}
  if (apiKey !== undefined) credentials['x-argilla-api-key'] = apiKey
  if (token !== undefined) credentials.authorization = `Bearer ${token}`
  return {
    url: url.replace(/\/+$/, ''),
    credentials,
    // Wrapped, because browsers refuse a fetch that is called as a property of something else.
    fetch: fetch ?? ((target, init) => globalThis.fetch(target, init)),
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
  }
}
