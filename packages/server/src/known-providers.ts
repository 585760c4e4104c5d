/** Providers that need little configuration, by their names in the file. */

export interface KnownProvider {
  kind: 'oidc' | 'google' | 'keycloak' | 'github'
  title?: string
  /** If absent, the file or the environment must provide it. */
  issuer?: string
  issuerVariables?: readonly [string, string]
  scope: string
}

/** Any OpenID Connect provider, described by its `issuer`. */
export const OTHER_PROVIDER: KnownProvider = { kind: 'oidc', scope: 'openid profile email' }

/** In the order of the sign-in page if there is no file. */
export const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  huggingface: { kind: 'oidc', title: 'Hugging Face', issuer: 'https://huggingface.co', scope: 'openid profile' },
  github: { kind: 'github', title: 'GitHub', issuer: 'https://github.com', scope: '' },
  'google-oauth2': { kind: 'google', title: 'Google', issuer: 'https://accounts.google.com', scope: 'openid email profile' },
  keycloak: {
    kind: 'keycloak',
    title: 'Keycloak',
    issuerVariables: ['SOCIAL_AUTH_KEYCLOAK_OIDC_ENDPOINT', 'SOCIAL_AUTH_OIDC_ENDPOINT'],
    scope: 'openid profile email',
  },
}
