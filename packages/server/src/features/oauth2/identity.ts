/** Converts the claims of a provider to an identity. */
import { invalid } from '@postil/domain/errors'
import { toVisibleName } from '@postil/domain/names'
import { ROLES, type Role } from '@postil/domain/users'
import type { ProviderConfig } from '../../oauth-config.ts'
import type { Claims } from './protocol.ts'

export interface Identity {
  provider: string
  issuer: string
  subject: string
  username: string
  first_name: string
  /** Null if the provider does not send any. */
  role: Role | null
  workspaces: string[] | null
}

const SUBJECT_LENGTH_MAX = 1_000
/** Leaves room for suffixes such as `-2`. */
const NAME_LENGTH_MAX = 180
const ROLES_MAX = 1_000
const WORKSPACES_MAX = 100

function toName(claim: unknown): string | null {
  if (typeof claim !== 'string') return null
  const visible = toVisibleName(claim)
  return visible === null ? null : toVisibleName([...visible].slice(0, NAME_LENGTH_MAX).join(''))
}

const beforeAt = (email: unknown) => (typeof email === 'string' ? toName(email.split('@', 1)[0]) : null)
const firstWord = (name: unknown) => (typeof name === 'string' ? toName(name.trim().split(/\s+/)[0]) : null)

/** Claims that may contain the username by provider kind, best first. */
const USERNAMES: Record<ProviderConfig['kind'], (claims: Claims) => (string | null)[]> = {
  github: claims => [toName(claims.login)],
  google: claims => [beforeAt(claims.email)],
  keycloak: claims => [toName(claims.preferred_username)],
  oidc: claims => [toName(claims.preferred_username), toName(claims.nickname), beforeAt(claims.email), toName(claims.name)],
}

export function toIdentity(provider: ProviderConfig, claims: Claims): Identity {
  const { iss, sub } = claims
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_LENGTH_MAX) {
    throw invalid(`${provider.title} does not say who you are: the subject is missing or too long.`)
  }
  const username = USERNAMES[provider.kind](claims).find(name => name !== null)
  if (username === undefined || username === null) {
    throw invalid(`${provider.title} does not tell a username. The scopes of the provider may lack \`profile\` or \`email\`.`)
  }
  const first_name = toName(claims.given_name) ?? firstWord(claims.name) ?? username
  return { provider: provider.name, issuer: iss, subject: sub, username, first_name, ...toRights(provider, claims) }
}

/** Only Keycloak's roles are used, because the operator assigns them; elsewhere users may be able to set claims themselves. */
function toRights({ kind }: ProviderConfig, { realm_access }: Claims): Pick<Identity, 'role' | 'workspaces'> {
  if (kind !== 'keycloak') return { role: null, workspaces: null }
  const given: unknown = (realm_access as { roles?: unknown } | null | undefined)?.roles
  const names = (Array.isArray(given) ? given : []).slice(0, ROLES_MAX).filter(name => typeof name === 'string')
  const after = (prefix: string) => names.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length))
  const roles = after('argilla_role:')
  const workspaces = [...new Set(after('argilla_workspace:').flatMap(name => toName(name) ?? []))].slice(0, WORKSPACES_MAX)
  // `ROLES` starts with the highest role.
  return { role: ROLES.find(role => roles.includes(role)) ?? null, workspaces: workspaces.length > 0 ? workspaces : null }
}
