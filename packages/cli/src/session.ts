/** The connection of a command to the server, as the logged-in user. */
import { type Client, createClient, type User, type Workspace } from '@postil/client'
import { findCredentials } from './credentials.ts'
import { readApiKey, readApiUrl, readWorkspace } from './environment.ts'
import { Failure, hasCode, orFail } from './failure.ts'

export interface Connection {
  url: string
  apiKey: string
  /** Name of the default workspace for commands. */
  workspace: string | null
  extraHeaders: Record<string, string>
}

export interface Session extends Connection {
  client: Client
  me: User
  /** Workspaces of the user; all workspaces for an owner. */
  workspaces: Workspace[]
}

/** Connects with the credentials from the environment if they are set, otherwise with the stored ones. */
export function openSession(): Promise<Session> {
  const connection = findConnection()
  return orFail('Server not available', () => connect(connection))
}

function findConnection(): Connection {
  const stored = findCredentials()
  if (stored === null) throw new Failure('Not logged in', 'Log in first: `postil login --api-url <url>`.')
  const [url, apiKey] = [readApiUrl(), readApiKey()]
  const workspace = readWorkspace()
  if (url === null && apiKey === null) {
    const { api_url, api_key, extra_headers } = stored
    return { url: api_url, apiKey: api_key, workspace: workspace ?? stored.workspace, extraHeaders: extra_headers }
  }
  // Never sends an API key to a server that it does not belong to.
  if (url === null || apiKey === null) {
    const [given, missing] = url === null ? ['SERVICE_API_KEY', 'SERVICE_API_URL'] : ['SERVICE_API_URL', 'SERVICE_API_KEY']
    throw new Failure(
      'Not logged in',
      `${given} is set, but ${missing} is not. Set both, or neither to use the stored credentials.`,
    )
  }
  return { url, apiKey, workspace, extraHeaders: {} }
}

/** Throws the errors of the client, or a failure with the title `Server not available`. */
export async function connect(connection: Connection): Promise<Session> {
  const client = toClient(connection)
  const [me, { items: workspaces }] = await Promise.all([client.getMe(), client.listMyWorkspaces()]).catch(error => {
    if (!hasCode(error, 'unauthenticated')) throw error
    throw new Failure('Server not available', `${connection.url} does not accept the API key. Log in again with a valid one.`)
  })
  const { workspace } = connection
  if (workspace !== null && !workspaces.some(({ name }) => name === workspace)) {
    throw new Failure('Server not available', `There is no workspace \`${workspace}\`, or you are not a member of it.`)
  }
  return { ...connection, client, me, workspaces }
}

function toClient({ url, apiKey, extraHeaders }: Connection): Client {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Failure('Server not available', `\`${url}\` is not a URL that begins with http:// or https://.`)
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new Failure('Server not available', 'An API key has letters, digits and signs of ASCII only, without spaces.')
  }
  return createClient({
    url,
    apiKey,
    fetch: (target, init) =>
      fetch(target, { ...init, headers: { ...extraHeaders, ...(init.headers as Record<string, string>) } }),
  })
}

/** Fails before any prompt or request. The server checks roles too. */
export function requireRole({ me }: Session, ...roles: User['role'][]): void {
  if (roles.includes(me.role)) return
  throw new Failure('Not enough permissions', `This needs the role ${roles.join(' or ')}; \`${me.username}\` is ${me.role}.`)
}

export function loadWorkspace({ workspaces }: Session, name: string): Workspace {
  const found = workspaces.find(workspace => workspace.name === name)
  if (found) return found
  throw new Failure('Workspace not found', `There is no workspace \`${name}\`, or you are not a member of it.`)
}
