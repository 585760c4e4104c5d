/**
 * A real server with six callers: an owner, an admin and an annotator inside the workspace, an admin and an annotator outside it,
 * and an unauthenticated one. Each sends requests and returns the raw responses.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Id } from '@postil/domain/schema'
import type { Role, User } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import { GITHUB_CLIENT, type GitHubServer, openGitHubServer } from '@postil/server/features/oauth2/testing/github-server'
import { type LoopbackHub, openHub } from '../hub/server.ts'
import { discard, type StartedServer, startServer } from '../server.ts'

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
  /** Sends a request such as `send('POST /datasets', body)`. Paths that do not start with `/api/` are relative to `/api/v1`. */
  send: <T = unknown>(request: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<T>>
  /** Like `send` for requests that must succeed: returns the body, or throws an error that shows the response. */
  done: <T = unknown>(request: string, body?: unknown) => Promise<T>
}

export const ACTORS = ['owner', 'memberAdmin', 'strangerAdmin', 'memberAnnotator', 'strangerAnnotator'] as const
export type ActorName = (typeof ACTORS)[number]

export interface World extends Record<ActorName, Caller> {
  nobody: Caller
  /** OAuth provider for sign-in. */
  github: GitHubServer
  /** Hub for imports and exports. */
  hub: LoopbackHub
  server: StartedServer
  /** Workspace of the members. */
  workspaceId: Id
  /** A workspace without members. */
  otherWorkspaceId: Id
  close: () => Promise<unknown>
}

/** Settings that enable every route. */
export const ALL_ON = {
  SERVICE_ENABLE_SHARE_YOUR_PROGRESS: 'true',
  SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true',
  OAUTH2_GITHUB_CLIENT_ID: GITHUB_CLIENT.client_id,
  OAUTH2_GITHUB_CLIENT_SECRET: GITHUB_CLIENT.client_secret,
}

export async function openWorld(env: Record<string, string> = {}): Promise<World> {
  const github = await openGitHubServer()
  const providers = await describeGitHub(github)
  const hub = await openHub()
  const server = await startServer({ env: { SERVICE_AUTH_OAUTH_CFG: providers, SERVICE_HUB_URL: hub.url, ...env } })
  const me = await caller(server.url, server.apiKey).done<User>('GET /me')
  const owner = caller(server.url, server.apiKey, me)
  const [workspaceId, otherWorkspaceId] = [await aWorkspace(owner), await aWorkspace(owner)]
  const join = async (user: Caller) => {
    await owner.done(`POST /workspaces/${workspaceId}/users`, { user_id: user.id })
    return user
  }
  return {
    server,
    github,
    hub,
    owner,
    memberAdmin: await join(await aUser(server.url, owner, 'admin')),
    strangerAdmin: await aUser(server.url, owner, 'admin'),
    memberAnnotator: await join(await aUser(server.url, owner, 'annotator')),
    strangerAnnotator: await aUser(server.url, owner, 'annotator'),
    nobody: caller(server.url, null),
    workspaceId,
    otherWorkspaceId,
    close: async () => {
      await discard(server)
      await github.close()
      await hub.close()
      await rm(dirname(providers), { recursive: true, force: true })
    },
  }
}

/** Writes the configuration file of the provider to a temporary folder. */
async function describeGitHub({ url }: GitHubServer): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'postil-oauth-')), 'oauth.yaml')
  await writeFile(path, JSON.stringify({ allow_http_redirect: true, providers: [{ name: 'github', url, ...GITHUB_CLIENT }] }))
  return path
}

let shared: Promise<World> | undefined

/** Returns the world of this test file. All suites that it imports share one server. */
export function sharedWorld(): Promise<World> {
  // Tests of password guessing use separate addresses, so that they do not delay other tests.
  shared ??= openWorld({ SERVICE_TRUSTED_PROXIES: 'loopback' })
  return shared
}

/** For `afterAll` of the file that imports the suites. */
export const closeSharedWorld = async () => (await shared)?.close()

export function caller(url: string, key: string | null, { id, username }: { id: Id; username: string } = NOBODY): Caller {
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

let made = 0
/** Returns a name that is unique in this file. */
export const fresh = (word: string) => `${word}-${++made}`

/** An id that does not exist. */
export const NO_ID = '00000000-0000-4000-8000-000000000000'

export async function aUser(url: string, owner: Caller, role: Role, given: object = {}): Promise<Caller> {
  const body = { first_name: 'Lena', username: fresh(role), role, password: 'a long password', ...given }
  const user = await owner.done<User>('POST /users', body)
  return caller(url, user.api_key, user)
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
