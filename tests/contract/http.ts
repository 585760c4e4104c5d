/**
 * A real server with six callers: an owner, an admin and an annotator inside the workspace, an admin and an annotator outside it,
 * and an unauthenticated one. Each sends requests and returns the raw responses.
 */
import type { Id } from '@postil/domain/schema'
import type { Role, User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { type OpenServer, openServer, shareServer } from './shared-servers.ts'

export interface Answer<T = unknown> {
  status: number
  headers: Headers
  text: string
  /** The parsed JSON body, or its text. The type is not checked. */
  body: T
}

export interface Caller {
  id: Id
  username: string
  key: string | null
  /** Client address, if a trusted proxy names one. */
  address: string | undefined
  /** Sends a request such as `send('POST /datasets', body)`. Paths that do not start with `/api/` are relative to `/api/v1`. */
  send: <T = unknown>(request: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<T>>
  /** Like `send` for requests that must succeed: returns the body, or throws an error that shows the response. */
  done: <T = unknown>(request: string, body?: unknown) => Promise<T>
}

export const ACTORS = ['owner', 'memberAdmin', 'strangerAdmin', 'memberAnnotator', 'strangerAnnotator'] as const
export type ActorName = (typeof ACTORS)[number]

export interface SmallWorld extends OpenServer {
  owner: Caller
  nobody: Caller
  /** Workspace of the members. */
  workspaceId: Id
  /** When its first user was created. Data of other files on the same server is older. */
  since: string
  /** Client address of its callers. */
  address: string
}

export interface World extends SmallWorld, Record<ActorName, Caller> {
  /** A workspace without members. */
  otherWorkspaceId: Id
}

/** The password of every user that is created here. */
export const PASSWORD = 'a long password'

/**
 * Returns a world on the server with these settings that the files of a worker share. Its users and workspaces are its own, but
 * its owners see those of other files too.
 */
export const openWorld = async (env: Record<string, string> = {}): Promise<World> => toWorld(await shareServer(env))

/** Starts a server for this world alone: for tests that stop it, or need other settings than the shared ones. */
export const openOwnWorld = async (env: Record<string, string> = {}): Promise<World> => toWorld(await openServer(env))

/** Like `openWorld`, but faster: with only the owner and one workspace. */
export const openSmallWorld = async (env: Record<string, string> = {}): Promise<SmallWorld> =>
  toSmallWorld(await shareServer(env))

async function toSmallWorld({ server, ...others }: OpenServer): Promise<SmallWorld> {
  const address = anAddress()
  const first = caller(server.url, server.apiKey)
  const { password } = server
  const user = { first_name: 'Owner', username: fresh('owner'), role: 'owner', password }
  const me = await first.done<User>('POST /users', user)
  const owner = caller(server.url, me.api_key, { ...me, address })
  return {
    ...others,
    server: { ...server, apiKey: me.api_key ?? '', username: me.username },
    owner,
    nobody: caller(server.url, null, { ...NOBODY, address }),
    workspaceId: await aWorkspace(owner),
    since: me.inserted_at,
    address,
  }
}

async function toWorld(opened: OpenServer): Promise<World> {
  const small = await toSmallWorld(opened)
  const { owner, server, workspaceId } = small
  const join = async (user: Caller) => {
    await owner.done(`POST /workspaces/${workspaceId}/users`, { user_id: user.id })
    return user
  }
  return {
    ...small,
    memberAdmin: await join(await aUser(server.url, owner, 'admin')),
    strangerAdmin: await aUser(server.url, owner, 'admin'),
    memberAnnotator: await join(await aUser(server.url, owner, 'annotator')),
    strangerAnnotator: await aUser(server.url, owner, 'annotator'),
    otherWorkspaceId: await aWorkspace(owner),
  }
}

let shared: Promise<World> | undefined

/** Returns the world of this test file, for all suites that it imports. */
export function sharedWorld(): Promise<World> {
  shared ??= openWorld()
  return shared
}

/** For `afterAll` of the file that imports the suites. */
export async function closeSharedWorld(): Promise<void> {
  const world = await shared
  shared = undefined
  await world?.close()
}

interface Who {
  id: Id
  username: string
  address?: string | undefined
}

export function caller(url: string, key: string | null, { id, username, address }: Who = NOBODY): Caller {
  let ownKey = key
  const send = async <T>(request: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> => {
    const [method = '', path = ''] = request.split(/ (.*)/s)
    const raw = isRaw(body)
    const response = await fetch(url + (path.startsWith('/api') ? path : `/api/v1${path}`), {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
        ...(ownKey === null ? {} : { 'x-argilla-api-key': ownKey }),
        ...(address === undefined ? {} : { 'x-forwarded-for': address }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const text = isStream ? await firstChunk(response) : await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const answered = isJson && text !== '' ? JSON.parse(text) : text
    // A caller who requests a new key uses it from then on.
    if (request === 'POST /api/v1/me/api-key' && response.ok) ownKey = answered.api_key
    return { status: response.status, headers: response.headers, text, body: answered as T }
  }
  const done = async <T>(request: string, body?: unknown): Promise<T> => {
    const answer = await send<T>(request, body)
    if (answer.status < 200 || answer.status > 299) throw new Error(`${request} -> ${answer.status} ${answer.text}`)
    return answer.body
  }
  return {
    id,
    username,
    address,
    get key() {
      return ownKey
    },
    send,
    done,
  }
}

/** Bodies that are sent unchanged; bytes without a content type. */
const isRaw = (body: unknown): body is string | FormData | URLSearchParams | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof FormData || body instanceof URLSearchParams || body instanceof Uint8Array

const NOBODY = { id: '', username: '' }

let addresses = 0
/** Returns a client address that is unique in this worker, so that wrong passwords of one test do not delay another. */
export const anAddress = () => `198.18.${Math.floor(++addresses / 250)}.${1 + (addresses % 250)}`

let made = 0
/** Returns a name that is unique in this worker, and so on its servers. */
export const fresh = (word: string) => `${word}-${++made}`

/** An id that does not exist. */
export const NO_ID = '00000000-0000-4000-8000-000000000000'

export async function aUser(url: string, owner: Caller, role: Role, given: object = {}): Promise<Caller> {
  const body = { first_name: 'Lena', username: fresh(role), role, password: PASSWORD, ...given }
  const user = await owner.done<User>('POST /users', body)
  return caller(url, user.api_key, { ...user, address: owner.address })
}

/** Adds another member to the workspace. */
export async function aMember({ server, owner, workspaceId }: World, role: Role = 'annotator'): Promise<Caller> {
  const user = await aUser(server.url, owner, role)
  await owner.done(`POST /workspaces/${workspaceId}/users`, { user_id: user.id })
  return user
}

export async function aWorkspace(owner: Caller): Promise<Id> {
  return (await owner.done<Workspace>('POST /workspaces', { name: fresh('workspace') })).id
}

/** Returns the first chunk of a stream. */
async function firstChunk({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}
