/**
 * Reads the configuration. Only this file reads environment variables.
 *
 * A setting is the variable `SERVICE_<NAME>`, in any case, with `ARGILLA_<NAME>` as fallback. An empty value counts as unset. All
 * invalid settings are reported together. The result is plain data, because it is sent to worker threads.
 */
import { join } from 'node:path'
import { USER_NAME_LENGTH_MAX } from '@postil/domain/users'
import { type OAuthConfig, readOAuth } from './oauth-config.ts'
import { type CLUSTER_SETTINGS, type ElasticConfig, listClusterWarnings, toElasticConfig } from './search-settings.ts'
import { BOOLEANS, type Setting } from './setting-kinds.ts'
import { SETTINGS } from './settings.ts'
import { CONNECTIONS_MIN, countSearchThreads } from './storage/pool-shares.ts'
import { UNUSED_SETTINGS } from './unused-settings.ts'

/** Settings of clients, which the server ignores without a warning. */
const CLIENT_SETTINGS = new Set(['API_URL', 'API_KEY', 'WORKSPACE', 'CACHE_DIR'])

const SPACE_VARIABLES = [
  'SPACE_ID',
  'SPACE_TITLE',
  'SPACE_SUBDOMAIN',
  'SPACE_HOST',
  'SPACE_REPO_NAME',
  'SPACE_AUTHOR_NAME',
] as const

type Values = { -readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never }

export interface FirstOwner {
  username: string
  password: string
  apiKey: string | null
  workspace: string | null
}

export interface Config extends Omit<Values, 'database' | keyof typeof CLUSTER_SETTINGS> {
  /** Path of the SQLite file. */
  databaseFile: string
  /** URL of the PostgreSQL database; null on SQLite. */
  databaseUrl: string | null
  /** The search cluster; null with the embedded engine. */
  elastic: ElasticConfig | null
  /** The owner to create on the first start, or null. */
  firstOwner: FirstOwner | null
  /** The hosted space that this server runs on, with the keys of `GET /settings`, or null. */
  space:
    | (Record<Lowercase<(typeof SPACE_VARIABLES)[number]>, string | null> & { space_persistent_storage_enabled: boolean })
    | null
  /** Providers for sign-in. */
  oauth: OAuthConfig
  reindexDatasets: boolean
  warnings: string[]
}

type Environment = Readonly<Record<string, string | undefined>>
export type Overrides = { readonly [K in keyof Values]?: string | number | boolean | undefined }

/** Invalid settings; the message lists every problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Environment for child processes of a command: its own environment with additional variables. */
export const environmentWith = (variables: Record<string, string>) => ({ ...process.env, ...variables })

/** Reads every setting; `overrides` (options of a command) take precedence over the environment. Throws a ConfigError. */
export function readConfig(env: Environment = process.env, overrides: Overrides = {}): Config {
  const given = givenSettings(env)
  const problems: string[] = []
  const values = readValues(given, overrides, problems)
  checkOrder(values, problems)
  checkConnections(values, problems)
  const elastic = toElasticConfig(values, problems)
  const firstOwner = readFirstOwner(env, problems)
  const { oauth, problems: oauthProblems, isMissing } = readOAuth(values.oauthFile, env)
  problems.push(...oauthProblems)
  if (problems.length > 0) throw new ConfigError(problems)

  const isTelemetryOff = [env.HF_HUB_DISABLE_TELEMETRY, env.HF_HUB_OFFLINE].some(isOn)
  const { database, ...others } = values
  return {
    ...others,
    databaseFile: database && 'file' in database ? database.file : join(values.homePath, 'postil.db'),
    databaseUrl: database && 'url' in database ? database.url : null,
    readerThreads: database && 'url' in database ? countSearchThreads(values) : values.readerThreads,
    enableTelemetry: values.enableTelemetry && !isTelemetryOff,
    elastic,
    firstOwner,
    oauth,
    space: readSpace(env),
    reindexDatasets: isOn(env.REINDEX_DATASETS),
    warnings: [...listWarnings(given, env), ...listClusterWarnings(values), ...(isMissing ? listMissingFile(given) : [])],
  }
}

const isOn = (given: string | undefined) => BOOLEANS.get((given ?? '').toLowerCase()) === true

interface GivenValue {
  variable: string
  value: string
}

/** Returns the given values by upper-case name without prefix. */
function givenSettings(env: Environment): Map<string, GivenValue> {
  const given = new Map<string, GivenValue>()
  for (const prefix of ['ARGILLA_', 'SERVICE_']) {
    for (const [variable, value] of Object.entries(env)) {
      if (!value?.trim() || !variable.toUpperCase().startsWith(prefix)) continue
      // Kubernetes sets `<NAME>_PORT=tcp://…` for a service of that name, which is not our setting.
      if (variable.toUpperCase() === `${prefix}PORT` && value.startsWith('tcp://')) continue
      given.set(variable.toUpperCase().slice(prefix.length), { variable, value: value.trim() })
    }
  }
  return given
}

function readValues(given: Map<string, GivenValue>, overrides: Overrides, problems: string[]): Values {
  const values: Record<string, unknown> = {}
  for (const [property, setting] of Object.entries<Setting>(SETTINGS)) {
    const override = overrides[property as keyof Values]
    const found =
      override === undefined
        ? (given.get(setting.name) ?? given.get(setting.otherName ?? ''))
        : { variable: `SERVICE_${setting.name}`, value: String(override) }
    const value = found ? setting.read(found.value) : setting.fallback
    if (found && value === undefined)
      problems.push(`${found.variable} is ${shown(setting, found.value)}; expected ${setting.expected}.`)
    values[property] = value
  }
  // The cast is safe: the loop has set every property with its own `read`.
  return values as Values
}

function shown(setting: Setting, value: string): string {
  if (!setting.secret) return `\`${value.slice(0, 100)}\``
  const scheme = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(value)?.[0]
  return scheme ? `\`${scheme}://…\`` : 'a value not shown here'
}

function checkOrder(values: Values, problems: string[]): void {
  for (const kind of ['message', 'role'] as const) {
    const [min, max] = [values[`${kind}LengthMin`], values[`${kind}LengthMax`]]
    const names = [`SERVICE_MIN_${kind.toUpperCase()}_LENGTH`, `SERVICE_MAX_${kind.toUpperCase()}_LENGTH`]
    if (min > max) problems.push(`${names[0]} is \`${min}\`; expected at most ${names[1]}, which is \`${max}\`.`)
  }
  if (!values.backgroundWork && !(values.database && 'url' in values.database)) {
    problems.push('SERVICE_BACKGROUND_WORK is off; expected `true`, because workers need PostgreSQL (SERVICE_DATABASE_URL).')
  }
}

function checkConnections({ database, postgresPoolSize, postgresMaxOverflow }: Values, problems: string[]): void {
  const total = postgresPoolSize + postgresMaxOverflow
  if (!database || !('url' in database) || total >= CONNECTIONS_MIN) return
  const name = 'SERVICE_DATABASE_POSTGRESQL'
  problems.push(`${name}_POOL_SIZE and ${name}_MAX_OVERFLOW are \`${total}\` together; expected at least ${CONNECTIONS_MIN}.`)
}

/** `USERNAME` is used only together with `PASSWORD`, because many systems set it. */
function readFirstOwner(env: Environment, problems: string[]): FirstOwner | null {
  const [username, password, apiKey] = [env.USERNAME, env.PASSWORD, env.API_KEY || null]
  if (!username || !password) return null
  const nameLength = [...username].length
  if (nameLength > USER_NAME_LENGTH_MAX) {
    problems.push(`USERNAME has ${nameLength} characters; expected at most ${USER_NAME_LENGTH_MAX}.`)
  }
  const length = [...password].length
  if (length < 8 || length > 100) problems.push(`PASSWORD has ${length} characters; expected 8 to 100.`)
  if (apiKey && [...apiKey].length < 8) problems.push(`API_KEY has ${[...apiKey].length} characters; expected at least 8.`)
  return { username, password, apiKey, workspace: env.WORKSPACE || null }
}

function readSpace(env: Environment): Config['space'] {
  if (!env.SPACE_ID) return null
  const variables = SPACE_VARIABLES.map(name => [name.toLowerCase(), env[name] || null])
  return { ...Object.fromEntries(variables), space_persistent_storage_enabled: isOn(env.PERSISTANT_STORAGE_ENABLED) }
}

/** A missing file is reported only if the setting is given. */
const listMissingFile = (given: Map<string, GivenValue>): string[] =>
  [given.get('AUTH_OAUTH_CFG') ?? []].flat().map(({ variable, value }) => `${variable} names \`${value}\`, which does not exist.`)

function listWarnings(given: Map<string, GivenValue>, env: Environment): string[] {
  const known = new Set(Object.values<Setting>(SETTINGS).flatMap(setting => [setting.name, setting.otherName ?? '']))
  const warnings: string[] = []
  for (const [name, { variable }] of given) {
    if (Object.hasOwn(UNUSED_SETTINGS, name)) warnings.push(`${variable} has no effect in this release.`)
    else if (variable.toUpperCase().startsWith('SERVICE_') && !known.has(name) && !CLIENT_SETTINGS.has(name)) {
      warnings.push(`${variable} is not a setting of this server.`)
    }
  }
  if (env.PASSWORD && !env.USERNAME) warnings.push('PASSWORD is set without USERNAME: no owner is made from it.')
  return warnings
}
