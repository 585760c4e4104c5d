/**
 * Reads the providers for sign-in from the YAML file `SERVICE_AUTH_OAUTH_CFG`, with missing values from the environment. The
 * result is plain data. All errors are reported together with their location, and the server does not start.
 */
import { readFileSync } from 'node:fs'
import { toLocalPath } from '@postil/domain/local-path'
import type { Role } from '@postil/domain/users'
import { parseDocument } from 'yaml'
import { KNOWN_PROVIDERS, type KnownProvider, OTHER_PROVIDER } from './known-providers.ts'
import { isSafeUrl } from './lib/safe-url.ts'

export interface ProviderConfig {
  name: string
  kind: KnownProvider['kind']
  /** Name in messages. */
  title: string
  /** Name in the configuration; null if it has none. */
  ownTitle: string | null
  /** Issuer of its ID tokens. For GitHub, the URL of the server without a trailing slash. */
  issuer: string
  clientId: string
  clientSecret: string
  /** Space-separated; may be empty. */
  scope: string
  /** A path of this server or an absolute URL; null for the callback page of the web UI. */
  redirectUri: string | null
  syncUser: boolean
  defaultRole: Role
}

export interface OAuthConfig {
  allowHttpRedirect: boolean
  providers: ProviderConfig[]
  /** Names of the workspaces that new users join. */
  allowedWorkspaces: string[]
}

type Environment = Readonly<Record<string, string | undefined>>
type Fields = Record<string, unknown>

const FILE_BYTES_MAX = 1_048_576
const PROVIDERS_MAX = 20
const WORKSPACES_MAX = 100
const TEXT_LENGTH_MAX = 2_000
const FILE_KEYS = ['allow_http_redirect', 'extra_backends', 'providers', 'allowed_workspaces', 'enabled']
const PROVIDER_KEYS = [
  ...['name', 'client_id', 'client_secret', 'scope', 'redirect_uri', 'sync_user'],
  ...['issuer', 'url', 'title', 'default_role'],
]
/** Without `owner`: otherwise everyone with an account at the provider would own the server. */
const DEFAULT_ROLES: readonly Role[] = ['annotator', 'admin']

interface Outcome {
  oauth: OAuthConfig
  problems: string[]
  isMissing: boolean
}

/** A missing file is not an error: providers that are complete in the environment are used. */
export function readOAuth(path: string, env: Environment): Outcome {
  const problems: string[] = []
  const tell = (where: string, what: string) => void problems.push(`${path}${where === '' ? '' : `, ${where}`}: ${what}`)
  const text = readFile(path, tell)
  const fields = text === null ? { providers: listFromEnvironment(env) } : parse(text, tell)
  return { oauth: toConfig(fields, env, tell), problems, isMissing: text === null }
}

type Tell = (where: string, what: string) => void

function readFile(path: string, tell: Tell): string | null {
  try {
    const bytes = readFileSync(path)
    if (bytes.length <= FILE_BYTES_MAX) return bytes.toString('utf8')
    tell('', `the file has ${bytes.length} bytes; expected at most ${FILE_BYTES_MAX}.`)
    return ''
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    tell('', `the file cannot be read (${code}).`)
    return ''
  }
}

function parse(text: string, tell: Tell): Fields {
  const document = parseDocument(text, { prettyErrors: false })
  for (const { message, pos } of document.errors.slice(0, 5)) tell(`line ${lineAt(text, pos[0])}`, `not valid YAML: ${message}.`)
  if (document.errors.length > 0) return {}
  try {
    // The limit prevents aliases from expanding a small file into a huge value.
    const value: unknown = document.toJS({ maxAliasCount: 10 })
    if (value === null || isFields(value)) return value ?? {}
  } catch {
    tell('', 'too many aliases.')
    return {}
  }
  tell('', 'expected keys with values, such as `providers:`.')
  return {}
}

const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the known providers whose client id and secret are in the environment. */
const listFromEnvironment = (env: Environment): Fields[] =>
  Object.keys(KNOWN_PROVIDERS)
    .filter(name => fromEnvironment(env, name, 'CLIENT_ID', 'KEY') && fromEnvironment(env, name, 'CLIENT_SECRET', 'SECRET'))
    .map(name => ({ name }))

function toConfig(fields: Fields, env: Environment, tell: Tell): OAuthConfig {
  checkKeys(fields, FILE_KEYS, '', tell)
  if (listOf(fields.extra_backends, 'extra_backends', 0, tell).length > 0) {
    tell('extra_backends', 'classes of other programs cannot be loaded. For an OpenID Connect provider, give its `issuer`.')
  }
  const isOff = fields.enabled !== undefined && !toBoolean(fields.enabled, 'enabled', tell)
  const given = listOf(fields.providers, 'providers', PROVIDERS_MAX, tell)
  const providers = given.flatMap((entry, place) => toProvider(entry, `providers[${place}]`, env, tell) ?? [])
  for (const [place, { name }] of providers.entries()) {
    if (providers.findIndex(other => other.name === name) < place) tell(`providers[${place}].name`, `\`${name}\` stands twice.`)
  }
  return {
    allowHttpRedirect: toBoolean(fields.allow_http_redirect ?? false, 'allow_http_redirect', tell),
    providers: isOff ? [] : providers,
    allowedWorkspaces: toWorkspaces(fields.allowed_workspaces, tell),
  }
}

function toProvider(entry: unknown, where: string, env: Environment, tell: Tell): ProviderConfig | null {
  if (!isFields(entry)) {
    tell(where, 'expected keys with values, at least `name`.')
    return null
  }
  checkKeys(entry, PROVIDER_KEYS, where, tell)
  const name = toText(entry.name, `${where}.name`, tell)
  if (name === null || !/^[a-z0-9][a-z0-9_-]{0,49}$/.test(name)) {
    tell(`${where}.name`, 'expected 1 to 50 lower-case letters, digits, `-` and `_`; it is a part of addresses.')
    return null
  }
  const known = Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined
  const text = (key: string) => toText(entry[key], `${where}.${key}`, tell)
  const needed = (key: string, variables: [string, string]) => {
    const value = text(key) ?? fromEnvironment(env, name, ...variables)
    if (!value) tell(`${where}.${key}`, `is missing. Give it here or in ${toVariable(name, variables[0])}.`)
    return value ?? ''
  }
  const role = text('default_role') ?? 'annotator'
  if (!(DEFAULT_ROLES as string[]).includes(role)) tell(`${where}.default_role`, `expected one of: ${DEFAULT_ROLES.join(', ')}.`)
  const { kind, scope, title } = known ?? OTHER_PROVIDER
  return {
    name,
    kind,
    title: text('title') ?? title ?? name,
    ownTitle: text('title') ?? null,
    issuer: toIssuer(entry, { where, name, known, env, tell }),
    clientId: needed('client_id', ['CLIENT_ID', 'KEY']),
    clientSecret: needed('client_secret', ['CLIENT_SECRET', 'SECRET']),
    scope: toScope(entry.scope, `${where}.scope`, tell) ?? fromEnvironment(env, name, 'SCOPE', 'SCOPE') ?? scope,
    redirectUri: toRedirectUri(text('redirect_uri'), `${where}.redirect_uri`, tell),
    syncUser: toBoolean(entry.sync_user ?? false, `${where}.sync_user`, tell),
    defaultRole: role as Role,
  }
}

interface Place {
  where: string
  name: string
  known: KnownProvider | undefined
  env: Environment
  tell: Tell
}

function toIssuer(entry: Fields, { where, name, known, env, tell }: Place): string {
  const key = known?.kind === 'github' ? 'url' : 'issuer'
  const other = key === 'url' ? 'issuer' : 'url'
  if (entry[other] !== undefined) tell(`${where}.${other}`, `is not a key of \`${name}\`; did you mean \`${key}\`?`)
  const fromEnv = known?.issuerVariables?.map(variable => env[variable]).find(value => value)
  const issuer = toText(entry[key], `${where}.${key}`, tell) ?? fromEnv ?? known?.issuer
  if (issuer === undefined) {
    const names = Object.keys(KNOWN_PROVIDERS).join(', ')
    const variables = known?.issuerVariables ? ` or in ${known.issuerVariables[0]}` : ''
    tell(
      `${where}.issuer`,
      `is missing. Give it here${variables}. Only these names need none: ${names.replace(', keycloak', '')}.`,
    )
    return ''
  }
  const url = URL.parse(issuer)
  if (url === null || !isSafeUrl(url) || url.search !== '' || url.hash !== '' || url.username !== '') {
    tell(`${where}.${key}`, 'expected an https address without query and password; http is accepted on this machine only.')
  }
  return key === 'url' ? issuer.replace(/\/+$/, '') : issuer
}

function toRedirectUri(given: string | null, where: string, tell: Tell): string | null {
  if (given === null) return null
  const isAddress = /^https?:\/\/[^/]/.test(given) && URL.canParse(given) && new URL(given).hash === ''
  const isPath = given.length > 1 && toLocalPath(given) === given
  if (!isAddress && !isPath) tell(where, 'expected a path such as `/oauth/github/callback`, or a whole http or https address.')
  return given
}

/** Accepts a list or a space-separated string. */
function toScope(given: unknown, where: string, tell: Tell): string | null {
  const text = Array.isArray(given) ? given.join(' ') : toText(given, where, tell)
  if (text !== null && !/^[\x21-\x7e ]{0,1000}$/.test(text))
    tell(where, 'expected names with blanks between, or a list of names.')
  return text
}

function toWorkspaces(given: unknown, tell: Tell): string[] {
  const names = listOf(given, 'allowed_workspaces', WORKSPACES_MAX, tell).flatMap((entry, place) => {
    const where = `allowed_workspaces[${place}]`
    if (!isFields(entry)) tell(where, 'expected `name: …`.')
    else checkKeys(entry, ['name'], where, tell)
    const name = isFields(entry) ? toText(entry.name, `${where}.name`, tell) : null
    if (isFields(entry) && !name) tell(`${where}.name`, 'is missing.')
    return name ? [name] : []
  })
  return [...new Set(names)]
}

function checkKeys(fields: Fields, known: readonly string[], where: string, tell: Tell): void {
  for (const key of Object.keys(fields)) {
    if (!known.includes(key))
      tell(where === '' ? key.slice(0, 100) : `${where}.${key.slice(0, 100)}`, `is not a key. Keys: ${known.join(', ')}.`)
  }
}

function listOf(given: unknown, where: string, max: number, tell: Tell): unknown[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) tell(where, 'expected a list: each entry begins with `- `.')
  else if (max > 0 && given.length > max) tell(where, `has ${given.length} entries; expected at most ${max}.`)
  return Array.isArray(given) ? (max > 0 ? given.slice(0, max) : given) : []
}

function toBoolean(given: unknown, where: string, tell: Tell): boolean {
  if (typeof given !== 'boolean') tell(where, 'expected `true` or `false`.')
  return given === true
}

/** Returns null if it is not given. Numbers are accepted because some ids are numbers. */
function toText(given: unknown, where: string, tell: Tell): string | null {
  if (given === undefined || given === null) return null
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text === 'string' && text.trim() !== '' && text.length <= TEXT_LENGTH_MAX) return text.trim()
  tell(where, `expected a text of 1 to ${TEXT_LENGTH_MAX} characters.`)
  return null
}

const toVariable = (name: string, property: string) => `OAUTH2_${name.toUpperCase().replaceAll('-', '_')}_${property}`

/** Most shells do not allow dashes in variable names, so both spellings are read. */
function fromEnvironment(env: Environment, name: string, property: string, older: string): string | null {
  const upper = name.toUpperCase()
  const plain = upper.replaceAll('-', '_')
  const names = [`OAUTH2_${upper}_${property}`, toVariable(name, property), `SOCIAL_AUTH_${plain}_${older}`]
  return names.map(variable => env[variable]?.trim()).find(value => value) ?? null
}
