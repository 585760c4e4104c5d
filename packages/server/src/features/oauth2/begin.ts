import { DomainError, invalid } from '@postil/domain/errors'
import { toLocalPath } from '@postil/domain/local-path'
import type { OpenContext } from '../../context.ts'
import { WithHeaders } from '../../lib/answer.ts'
import { signInCookies, toCookieName } from '../../lib/sign-in-cookie.ts'
import type { ProviderConfig } from '../../oauth-config.ts'
import { ATTEMPT_SECONDS, encryptAttempt, newAttempt, toAttemptId } from './attempt.ts'
import { toProviderError } from './errors.ts'

export function loadProvider({ providers }: Pick<OpenContext, 'providers'>, name: string): ProviderConfig {
  const provider = providers.all.find(known => known.name === name)
  if (provider) return provider
  throw new DomainError('not_found', `OAuth provider with name \`${name}\` not found`)
}

/** Relative to `/api/v1/oauth2/providers/<name>/authentication`, because a proxy may remove a path prefix. */
const SIGN_IN_PAGE = '../../../../../sign-in'

/** Redirects the browser to the provider, with a cookie that identifies it when it returns. */
export async function beginSignIn(ctx: OpenContext, name: string, to: string | undefined): Promise<WithHeaders> {
  const provider = loadProvider(ctx, name)
  const returnTo = toLocalPath(to)
  try {
    return await redirect(ctx, provider, returnTo)
  } catch (error) {
    // Redirects page requests to the sign-in page, because the browser would show JSON otherwise.
    if (!ctx.sender.isPage || !(error instanceof DomainError)) throw error
    const search = new URLSearchParams({ ...(returnTo === '/' ? {} : { to: returnTo }), failed: provider.name })
    return new WithHeaders({ location: `${SIGN_IN_PAGE}?${search}` }, undefined)
  }
}

async function redirect(ctx: OpenContext, provider: ProviderConfig, returnTo: string): Promise<WithHeaders> {
  const attempt = newAttempt({ provider: provider.name, redirectUri: toRedirectUri(ctx, provider), returnTo })
  const location = await authorizationUrl(ctx, provider, attempt)
  const name = toCookieName(toAttemptId(attempt.state), attempt.redirectUri.startsWith('https:'))
  const cookies = signInCookies(ctx.sender.signIns, name, encryptAttempt(ctx.secrets, attempt), ATTEMPT_SECONDS)
  return new WithHeaders({ location, 'set-cookie': cookies, 'referrer-policy': 'no-referrer' }, undefined)
}

async function authorizationUrl(ctx: OpenContext, provider: ProviderConfig, attempt: ReturnType<typeof newAttempt>) {
  try {
    const connection = await ctx.providers.connect(provider)
    return (await connection.authorizationUrl(attempt)).href
  } catch (error) {
    throw toProviderError(ctx, provider, error)
  }
}

/** Returns the callback URL, which must be registered with the provider. */
export function toRedirectUri(ctx: OpenContext, { name, redirectUri }: ProviderConfig): string {
  const path = redirectUri ?? `${ctx.config.baseUrl}oauth/${name}/callback`
  if (!path.startsWith('/')) return path
  const { publicOrigin, oauth } = ctx.config
  if (publicOrigin !== null) return publicOrigin + path
  if (ctx.sender.host === null)
    throw invalid('The request does not name a host to return to. The operator can set SERVICE_PUBLIC_URL.')
  return `${oauth.allowHttpRedirect ? 'http' : 'https'}://${ctx.sender.host}${path}`
}
