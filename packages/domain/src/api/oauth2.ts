/** Sign-in with an account of another service: OAuth 2.0 and OpenID Connect. */
import { Items, Optional, Shape, Text } from '../schema.ts'
import { User } from '../users.ts'
import { route, SIGN_IN_BODY_BYTES_MAX } from './route.ts'

const tag = 'oauth2'

const ProviderParams = Shape({ provider: Text(1, 100) })

/** Query parameters that the provider adds to the callback URL. Some providers send long codes. */
const CallbackQuery = Shape({
  code: Optional(Text(0, 4_000)),
  state: Optional(Text(0, 200)),
  /** The issuer, sent by some providers (RFC 9207). */
  iss: Optional(Text(0, 1_000)),
  error: Optional(Text(0, 200)),
  error_description: Optional(Text(0, 2_000)),
})

export const listOAuthProviders = route({
  id: 'listOAuthProviders',
  method: 'GET',
  path: '/api/v1/oauth2/providers',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  summary: 'The providers with which people can sign in, in the order of the configuration',
  /** `title`: label of the sign-in button, if it is configured. */
  response: Items(Shape({ name: Text(), title: Optional(Text()) })),
})

export const beginOAuthSignIn = route({
  id: 'beginOAuthSignIn',
  method: 'GET',
  path: '/api/v1/oauth2/providers/:provider/authentication',
  tag,
  status: 303,
  auth: false,
  runs: 'here',
  summary: 'Begin to sign in: a redirect to the provider, and a cookie for the way back',
  params: ProviderParams,
  /**
   * `to`: the page of the web UI to show after sign-in. Values that are not a path of this server are ignored, as are other
   * parameters.
   */
  query: Shape({ to: Optional(Text()) }),
})

export const createOAuthToken = route({
  id: 'createOAuthToken',
  method: 'GET',
  path: '/api/v1/oauth2/providers/:provider/access-token',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  refusals: [401],
  summary: 'Finish signing in, with what the provider added to the callback address and the cookie: a bearer token',
  params: ProviderParams,
  query: CallbackQuery,
  response: Shape({ access_token: Text(), token_type: Text() }),
})

export const createOAuthSession = route({
  id: 'createOAuthSession',
  method: 'POST',
  path: '/api/v1/oauth2/providers/:provider/session',
  tag,
  status: 201,
  auth: false,
  runs: 'here',
  bodyBytesMax: SIGN_IN_BODY_BYTES_MAX,
  refusals: [401, 403],
  summary: 'Finish signing in, as above; the session is a cookie',
  params: ProviderParams,
  body: CallbackQuery,
  /** `return_to`: the page that was requested before sign-in. */
  response: Shape({ user: User, return_to: Text() }),
})

export const oauth2Routes = [listOAuthProviders, beginOAuthSignIn, createOAuthToken, createOAuthSession]
