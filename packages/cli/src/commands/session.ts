/** `login`, `logout`, `whoami` and `info`. */

import { ask } from '@postil/terminal/prompt'
import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { type CommandInput, setAction } from '../command.ts'
import { deleteCredentials, hasCredentials, storeCredentials, toHeaders } from '../credentials.ts'
import { Failure, findReason } from '../failure.ts'
import { toBullets } from '../output.ts'
import { connect, openSession, type Session } from '../session.ts'

export const CLI_VERSION = manifest.version

export function addSessionCommands(program: Command): void {
  const login = program
    .command('login')
    .description('Store the address of a server and your API key')
    .requiredOption('--api-url <url>', 'address of the server')
    .option('--api-key <key>', 'your API key; asked for if it is missing, without showing it')
    .option('--workspace <name>', 'workspace that commands use unless they name another')
    .option('--extra-headers <json>', 'headers to send with every request, as a JSON object')
  setAction(
    login,
    ['login --api-url https://postil.example.org', 'login --api-url http://localhost:6900 --workspace team'],
    logIn,
  )

  const logout = program
    .command('logout')
    .description('Delete the stored credentials')
    .option('--force', 'also if the server cannot be reached', false)
    .option('--no-force', 'only if the server can be reached (default)')
  setAction(logout, ['logout', 'logout --force'], logOut)

  setAction(program.command('whoami').description('Show the user you are logged in as'), ['whoami', 'whoami --json'], whoAmI)
  setAction(program.command('info').description('Show address and versions of the server'), ['info', 'info --json'], showInfo)
}

interface LoginOptions {
  apiUrl: string
  apiKey?: string
  workspace?: string
  extraHeaders?: string
}

async function logIn({ options, out }: CommandInput<LoginOptions>): Promise<void> {
  const extraHeaders = parseHeaders(options.extraHeaders)
  const apiKey = options.apiKey ?? (await ask('API Key', { hidden: true, option: '--api-key' }))
  const workspace = options.workspace ?? null
  const url = options.apiUrl.replace(/\/+$/, '')
  const { me } = await tryToConnect({ url, apiKey, workspace, extraHeaders })
  storeCredentials({ api_url: url, api_key: apiKey, workspace, extra_headers: extraHeaders })
  out.panel('Logged in', [`Logged in to ${url} as ${me.username}.`], { api_url: url, username: me.username, workspace })
}

async function tryToConnect(connection: Parameters<typeof connect>[0]): Promise<Session> {
  try {
    return await connect(connection)
  } catch (error) {
    const reason = error instanceof Failure ? error.message : findReason(error)
    if (reason === null) throw error
    throw new Failure('Login error', reason, { cause: error })
  }
}

function parseHeaders(given: string | undefined): Record<string, string> {
  if (given === undefined) return {}
  try {
    const headers = toHeaders(JSON.parse(given))
    if (headers !== null) {
      // Throws if a header name or value is invalid.
      new Headers(headers)
      return headers
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  // The error does not repeat the given text, which may contain a secret.
  throw new Failure('Extra headers error', 'Expected a JSON object with texts, such as {"X-Forwarded-User": "ann"}.')
}

async function logOut({ options, out }: CommandInput<{ force: boolean }>): Promise<void> {
  if (!hasCredentials()) throw new Failure('Not logged in', 'There is nothing to log out from.')
  if (!options.force) await openSession()
  deleteCredentials()
  out.panel('Logout', ['The stored credentials are deleted.'], { logged_out: true })
}

async function whoAmI({ out }: CommandInput<unknown>): Promise<void> {
  const { me, workspaces } = await openSession()
  const names = workspaces.map(({ name }) => name)
  const lines = toBullets([
    ['Username', me.username],
    ['Role', me.role],
    ['First name', me.first_name],
    ['Last name', me.last_name ?? ''],
    ['API Key', me.api_key ?? ''],
    ['Workspaces', names.join(', ')],
  ])
  out.panel('Current User', lines, { ...me, workspaces: names })
}

async function showInfo({ out }: CommandInput<unknown>): Promise<void> {
  const { client, url } = await openSession()
  const { version, server, search_engine } = await client.getStatus()
  const engine = toEngineText(search_engine)
  const lines = toBullets([
    ['Server URL', url],
    ['Client version', CLI_VERSION],
    ['Server version', `${server.version} (API ${version})`],
    ['Search engine version', engine],
  ])
  out.panel('Info', lines, {
    api_url: url,
    client_version: CLI_VERSION,
    server_version: server.version,
    api_version: version,
    search_engine,
  })
}

/** For example `2.11.1 (opensearch)`; the embedded engine has no version of its own. */
function toEngineText({ engine, version, reason }: Record<string, unknown>): string {
  if (reason !== undefined) return `${engine}: ${reason}`
  return version === undefined ? String(engine) : `${version} (${engine})`
}
