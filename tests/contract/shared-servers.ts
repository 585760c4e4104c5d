/**
 * Servers that the test files of a worker process share, one for each combination of settings, because a start costs seconds of
 * processor time. The files of a worker run one after the other.
 *
 * A file must leave its server working. One that does not fails when it returns the server, and the next file gets a new one.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { GITHUB_CLIENT, type GitHubServer, openGitHubServer } from '@postil/server/features/oauth2/testing/github-server'
import { type LoopbackHub, openHub } from '../hub/server.ts'
import { discard, type StartedServer, startServer } from '../server.ts'

/** Settings that enable every route. */
export const ALL_ON = {
  SERVICE_ENABLE_SHARE_YOUR_PROGRESS: 'true',
  SERVICE_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true',
  OAUTH2_GITHUB_CLIENT_ID: GITHUB_CLIENT.client_id,
  OAUTH2_GITHUB_CLIENT_SECRET: GITHUB_CLIENT.client_secret,
}

export const AUTH_SECRET = 'a secret that the test knows as well as the server does'
export const METRICS_TOKEN = 'a-token-of-the-scraper'
export const BODY_LIMIT_MIB = 8
export const HUB_IMPORT_ROWS_MAX = 250

/** The settings of most files. */
export const SHARED_SETTINGS = {
  ...ALL_ON,
  // Each file has its own address, so that its wrong passwords do not delay the sign-ins of others.
  SERVICE_TRUSTED_PROXIES: 'loopback',
  SERVICE_AUTH_SECRET_KEY: AUTH_SECRET,
  SERVICE_METRICS: '1',
  SERVICE_METRICS_TOKEN: METRICS_TOKEN,
  SERVICE_UPLOAD_BYTES_MAX: '64MiB',
  SERVICE_BODY_LIMIT: `${BODY_LIMIT_MIB}MiB`,
  SERVICE_HUB_IMPORT_ROWS_MAX: String(HUB_IMPORT_ROWS_MAX),
}

export interface OpenServer {
  server: StartedServer
  /** OAuth provider for sign-in. */
  github: GitHubServer
  /** Hub for imports and exports. */
  hub: LoopbackHub
  close: () => Promise<void>
}

/** Starts a server of its own, with a provider and a hub. */
export async function openServer(env: Record<string, string>): Promise<OpenServer> {
  const github = await openGitHubServer()
  const providers = await describeGitHub(github)
  const hub = await openHub()
  const server = await startServer({ env: { SERVICE_AUTH_OAUTH_CFG: providers, SERVICE_HUB_URL: hub.url, ...env } })
  const close = async () => {
    await discard(server)
    await github.close()
    await hub.close()
    await rm(dirname(providers), { recursive: true, force: true })
  }
  return { server, github, hub, close }
}

/** Writes the configuration file of the provider to a temporary folder. */
async function describeGitHub({ url }: GitHubServer): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'postil-oauth-')), 'oauth.yaml')
  await writeFile(path, JSON.stringify({ allow_http_redirect: true, providers: [{ name: 'github', url, ...GITHUB_CLIENT }] }))
  return path
}

const shared = new Map<string, Promise<OpenServer>>()
let isClosedAtEnd = false

/** Returns the server of this worker with these settings, in addition to the shared ones. `close` returns it. */
export async function shareServer(env: Record<string, string>): Promise<OpenServer> {
  const key = JSON.stringify(Object.entries(env).toSorted())
  closeAtEnd()
  let opened = shared.get(key)
  if (opened === undefined) {
    opened = openServer({ ...SHARED_SETTINGS, ...env })
    shared.set(key, opened)
  }
  const lent = await opened.catch((error: unknown) => {
    shared.delete(key)
    throw error
  })
  if (!isRunning(lent.server)) {
    shared.delete(key)
    await lent.close()
    return shareServer(env)
  }
  lent.hub.forget()
  const close = async () => {
    const harm = await findHarm(lent.server)
    if (harm === null) return
    shared.delete(key)
    await lent.close()
    throw new Error(`This file leaves its server ${harm}. It printed:\n${lent.server.output()}`)
  }
  return { ...lent, close }
}

function isRunning({ pid }: StartedServer): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns what is wrong with a server, or null. Removes the webhooks, which would tell the events of the next file. */
async function findHarm({ url, apiKey }: StartedServer): Promise<string | null> {
  const headers = { 'x-argilla-api-key': apiKey }
  try {
    const answer = await fetch(`${url}/api/v1/webhooks`, { headers, signal: AbortSignal.timeout(60_000) })
    if (answer.status !== 200) return `with status ${answer.status}`
    const { items } = (await answer.json()) as { items: { id: string }[] }
    for (const { id } of items) await fetch(`${url}/api/v1/webhooks/${id}`, { method: 'DELETE', headers })
    return null
  } catch (error) {
    return `without an answer (${error})`
  }
}

interface Worker {
  onCleanup: (listener: () => Promise<void>) => void
}

/** Vitest runs this at the end of the worker, after its last file. */
function closeAtEnd(): void {
  if (isClosedAtEnd) return
  isClosedAtEnd = true
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: Worker }
  if (worker === undefined) throw new Error('shared servers need a worker of vitest')
  worker.onCleanup(async () => {
    await Promise.all(Array.from(shared.values(), async opened => (await opened).close()))
    shared.clear()
  })
}
