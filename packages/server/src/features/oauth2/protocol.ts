/** OAuth 2.0 and OpenID Connect with one provider: builds the authorization URL and reads the claims of the returning user. */
import type * as Client from 'openid-client'
import { isSafeUrl } from '../../lib/safe-url.ts'
import type { ProviderConfig } from '../../oauth-config.ts'
import type { Attempt } from './attempt.ts'
import { type LimitedFetch, ProviderUnreachable } from './limited-fetch.ts'

export type Claims = Readonly<Record<string, unknown>>

/** Query parameters that the provider added to the callback URL. */
export interface Callback {
  code: string
  state: string
  iss?: string | undefined
}

export interface Connection {
  authorizationUrl(attempt: Attempt): Promise<URL>
  /** Redeems the code. `iss` and `sub` of the claims come from a verified ID token, or from GitHub's API. */
  readClaims(attempt: Attempt, callback: Callback): Promise<Claims>
}

/** Loaded on the first sign-in, because most threads and many servers never need it. */
const loadClient = () => import('openid-client')

export async function openConnection(provider: ProviderConfig, fetch: LimitedFetch): Promise<Connection> {
  const client = await loadClient()
  return provider.kind === 'github' ? openGitHub(client, provider, fetch) : openOidc(client, provider, fetch)
}

const authorizationUrl = (client: typeof Client, config: Client.Configuration, scope: string) => async (attempt: Attempt) =>
  client.buildAuthorizationUrl(config, {
    redirect_uri: attempt.redirectUri,
    ...(scope === '' ? {} : { scope }),
    state: attempt.state,
    ...(scope.split(' ').includes('openid') ? { nonce: attempt.nonce } : {}),
    code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  })

/** Rebuilds the callback URL without other parameters that a browser may have sent. */
function toCallbackUrl({ redirectUri }: Attempt, { code, state, iss }: Callback): URL {
  const url = new URL(redirectUri)
  url.search = new URLSearchParams({ code, state, ...(iss === undefined ? {} : { iss }) }).toString()
  return url
}

async function openOidc(client: typeof Client, provider: ProviderConfig, fetch: LimitedFetch): Promise<Connection> {
  const insecure = isHttp(provider.issuer) ? [client.allowInsecureRequests] : []
  const options = { [client.customFetch]: fetch, execute: insecure }
  const found = await client.discovery(new URL(provider.issuer), provider.clientId, undefined, client.None(), options)
  const metadata = found.serverMetadata()
  checkEndpoints(metadata)
  const config = new client.Configuration(metadata, provider.clientId, undefined, clientAuth(client, provider, metadata))
  config[client.customFetch] = fetch
  if (isHttp(provider.issuer)) client.allowInsecureRequests(config)
  // Verifies the signature with the provider's keys, although the token comes directly from the provider.
  client.enableNonRepudiationChecks(config)

  return {
    authorizationUrl: authorizationUrl(client, config, withOpenId(provider.scope)),
    readClaims: async (attempt, callback) => {
      const tokens = await client.authorizationCodeGrant(config, toCallbackUrl(attempt, callback), {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new client.ClientError('the answer has no ID token')
      if (metadata.userinfo_endpoint === undefined) return claims
      // Throws if the user info belongs to another subject.
      const userInfo = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
      return { ...claims, ...userInfo, iss: claims.iss, sub: claims.sub }
    },
  }
}

const isHttp = (address: string) => address.startsWith('http:')

/** Adds the `openid` scope, without which the provider sends no ID token and the user cannot be identified. */
const withOpenId = (scope: string) => (scope.split(' ').includes('openid') ? scope : `openid ${scope}`.trim())

/** Requires safe endpoint URLs, because tokens, codes and the client secret are sent there. */
function checkEndpoints(metadata: Client.ServerMetadata): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const) {
    const address = metadata[name]
    const url = address === undefined ? null : URL.parse(address)
    if (address === undefined ? name !== 'userinfo_endpoint' : url === null || !isSafeUrl(url)) {
      throw new ProviderUnreachable(`its description has no usable \`${name}\``)
    }
  }
}

function clientAuth(client: typeof Client, provider: ProviderConfig, metadata: Client.ServerMetadata): Client.ClientAuth {
  const methods = metadata.token_endpoint_auth_methods_supported
  const isBasic = provider.kind !== 'google' && (methods === undefined || methods.includes('client_secret_basic'))
  return isBasic ? client.ClientSecretBasic(provider.clientSecret) : client.ClientSecretPost(provider.clientSecret)
}

const GITHUB = 'https://github.com'

/** GitHub does not issue ID tokens, so the user is read from its API with the access token. */
function openGitHub(
  client: typeof Client,
  { issuer, clientId, clientSecret, scope }: ProviderConfig,
  fetch: LimitedFetch,
): Connection {
  const endpoints = {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  }
  const userUrl = issuer === GITHUB ? 'https://api.github.com/user' : `${issuer}/api/v3/user`
  const config = new client.Configuration(endpoints, clientId, undefined, client.ClientSecretPost(clientSecret))
  config[client.customFetch] = async (url, init) => withErrorStatus(await fetch(url, init))
  if (isHttp(issuer)) client.allowInsecureRequests(config)

  return {
    authorizationUrl: authorizationUrl(client, config, scope),
    readClaims: async (attempt, { iss, ...callback }) => {
      // Issuer values that GitHub may send (RFC 9207).
      if (iss !== undefined && ![issuer, `${issuer}/login/oauth`].includes(iss)) throw new client.ClientError('unexpected issuer')
      const checks = { pkceCodeVerifier: attempt.verifier, expectedState: attempt.state }
      const tokens = await client.authorizationCodeGrant(config, toCallbackUrl(attempt, callback), checks)
      const headers = { authorization: `token ${tokens.access_token}`, accept: 'application/json', 'user-agent': 'Postil' }
      const answer = await fetch(userUrl, { method: 'GET', headers })
      const user = answer.status === 200 ? toObject(await answer.text()) : null
      const id = user?.id
      if (user === null || !Number.isSafeInteger(id)) throw new client.ClientError('the answer does not say who the user is')
      // Uses the numeric id, because names can be changed and taken over by others.
      return { ...user, iss: issuer, sub: String(id) }
    },
  }
}

/** GitHub's token endpoint returns errors with status 200. */
async function withErrorStatus(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer
  const text = await answer.text()
  const isError = typeof toObject(text)?.error === 'string'
  return new Response(text, { status: isError ? 400 : 200, headers: answer.headers })
}

function toObject(text: string): Claims | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : null
  } catch {
    return null
  }
}
