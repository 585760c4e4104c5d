import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'postil-oauth-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
/** `file` is YAML; null for a missing file. */
function read(file: string | null, env: Record<string, string> = {}) {
  const path = join(folder, `${++made}.yaml`)
  if (file !== null) writeFileSync(path, file)
  try {
    const { oauth, warnings } = readConfig({ SERVICE_AUTH_OAUTH_CFG: path, ...env })
    return { oauth, warnings, problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { oauth: null, warnings: [], problems: error.problems.map(problem => problem.replace(path, 'file')) }
  }
}

const KEYS = 'client_id: a, client_secret: b'
const one = (name: string, rest = '') => `providers: [{ name: ${name}, ${KEYS}${rest} }]`

describe('a file of providers', () => {
  test('may say everything', () => {
    const { oauth } = read(`
allow_http_redirect: true
extra_backends: []
providers:
  - name: github
    client_id: my-id
    client_secret: my-secret
    scope: "read:user user:email"
    redirect_uri: /oauth/github/callback
    sync_user: true
  - name: campus
    title: Our campus
    issuer: https://login.example/realms/campus
    client_id: 12345
    client_secret: s
    scope: [openid, profile]
    default_role: admin
allowed_workspaces:
  - name: first
  - name: second
  - name: first
`)
    expect(oauth).toEqual({
      allowHttpRedirect: true,
      allowedWorkspaces: ['first', 'second'],
      providers: [
        {
          name: 'github',
          kind: 'github',
          title: 'GitHub',
          ownTitle: null,
          issuer: 'https://github.com',
          clientId: 'my-id',
          clientSecret: 'my-secret',
          scope: 'read:user user:email',
          redirectUri: '/oauth/github/callback',
          syncUser: true,
          defaultRole: 'annotator',
        },
        {
          name: 'campus',
          kind: 'oidc',
          title: 'Our campus',
          ownTitle: 'Our campus',
          issuer: 'https://login.example/realms/campus',
          clientId: '12345',
          clientSecret: 's',
          scope: 'openid profile',
          redirectUri: null,
          syncUser: false,
          defaultRole: 'admin',
        },
      ],
    })
  })

  test.each([
    { name: 'huggingface', issuer: 'https://huggingface.co', scope: 'openid profile' },
    { name: 'github', issuer: 'https://github.com', scope: '' },
    { name: 'google-oauth2', issuer: 'https://accounts.google.com', scope: 'openid email profile' },
  ])('need not describe $name', ({ name, ...expected }) => {
    expect(read(one(name)).oauth?.providers).toMatchObject([expected])
  })

  test.each(['', '# nothing', 'providers: []', 'providers:', `enabled: false\n${one('github')}`])('%j has none', file => {
    expect(read(file)).toMatchObject({ problems: [], oauth: { providers: [] } })
  })

  test.each<[file: string, ...problems: string[]]>([
    ['providers: [', 'file, line 1: not valid YAML'],
    ['providers:\n  - name: a\n name: b', 'file, line 3: not valid YAML'],
    ['just text', 'file: expected keys'],
    ['- a', 'file: expected keys'],
    ['provider: []', 'file, provider: is not a key'],
    ['providers: { name: github }', 'file, providers: expected a list'],
    ['providers: [github]', 'file, providers[0]: expected keys'],
    ['providers: [{ client_id: a }]', 'file, providers[0].name: expected 1 to 50'],
    [one('My/Space'), 'file, providers[0].name: expected 1 to 50'],
    [one('myspace'), 'file, providers[0].issuer: is missing'],
    [one('toString'.toLowerCase()), 'file, providers[0].issuer: is missing'],
    [one('keycloak'), 'file, providers[0].issuer: is missing. Give it here or in SOCIAL_AUTH_KEYCLOAK_OIDC_ENDPOINT'],
    [one('github', ', client_key: x'), 'file, providers[0].client_key: is not a key. Keys: name, client_id'],
    [one('github', ', issuer: "https://x.example"'), 'file, providers[0].issuer: is not a key of `github`; did you mean `url`'],
    [one('campus', ', issuer: "http://login.example"'), 'file, providers[0].issuer: expected an https address'],
    [one('campus', ', issuer: "https://user@login.example"'), 'file, providers[0].issuer: expected an https address'],
    [one('campus', ', issuer: "file:///etc/passwd"'), 'file, providers[0].issuer: expected an https address'],
    [one('github', ', default_role: owner'), 'file, providers[0].default_role: expected one of: annotator, admin'],
    [one('github', ', sync_user: maybe'), 'file, providers[0].sync_user: expected `true` or `false`'],
    [one('github', ', redirect_uri: "//evil.example/x"'), 'file, providers[0].redirect_uri: expected a path'],
    [one('github', ', redirect_uri: "javascript:x"'), 'file, providers[0].redirect_uri: expected a path'],
    [one('github', ', scope: "a\\u0000b"'), 'file, providers[0].scope: expected names'],
    [one('github', ', title: ""'), 'file, providers[0].title: expected a text'],
    [
      'providers: [{ name: google-oauth2 }]',
      'file, providers[0].client_id: is missing. Give it here or in OAUTH2_GOOGLE_OAUTH2_CLIENT_ID.',
      'file, providers[0].client_secret: is missing',
    ],
    [`providers: [{ name: github, ${KEYS} }, { name: github, ${KEYS} }]`, 'file, providers[1].name: `github` stands twice'],
    ['extra_backends: [my.Backend]', 'file, extra_backends: classes of other programs'],
    ['allowed_workspaces: [first]', 'file, allowed_workspaces[0]: expected `name'],
    [
      'allowed_workspaces: [{ title: first }]',
      'file, allowed_workspaces[0].title: is not a key',
      'file, allowed_workspaces[0].name: is missing',
    ],
    ['allow_http_redirect: "yes"', 'file, allow_http_redirect: expected `true`'],
    [`providers: [${'{},'.repeat(21)}]`, 'file, providers: has 21 entries; expected at most 20'],
    ['a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c, *c, *c, *c, *c]', 'file: too many aliases'],
  ])('%j stops the start', (file, ...expected) => {
    const { problems } = read(file)
    for (const problem of expected) expect(problems).toContainEqual(expect.stringContaining(problem))
    expect(problems.length).toBeGreaterThan(0)
  })

  test('is never shown: its secrets stay out of messages', () => {
    const { problems } = read(`providers: [{ name: github, client_secret: top-secret, client_id: [top-secret] }]`)
    expect(problems.join()).toContain('client_id')
    expect(problems.join()).not.toContain('top-secret')
  })

  test('that is too large is refused', () => {
    expect(read(`#${'x'.repeat(1_048_576)}`).problems).toEqual([expect.stringContaining('expected at most 1048576')])
  })
})

describe('the environment', () => {
  test.each([
    { env: { OAUTH2_GITHUB_CLIENT_ID: 'i', OAUTH2_GITHUB_CLIENT_SECRET: 's', OAUTH2_GITHUB_SCOPE: 'read:user' } },
    { env: { SOCIAL_AUTH_GITHUB_KEY: 'i', SOCIAL_AUTH_GITHUB_SECRET: 's', SOCIAL_AUTH_GITHUB_SCOPE: 'read:user' } },
    {
      env: {
        OAUTH2_GITHUB_CLIENT_ID: 'i',
        SOCIAL_AUTH_GITHUB_KEY: 'x',
        SOCIAL_AUTH_GITHUB_SECRET: 's',
        OAUTH2_GITHUB_SCOPE: 'read:user',
      },
    },
  ])('gives what the file leaves out: $env', ({ env }) => {
    expect(read('providers: [{ name: github }]', env as Record<string, string>).oauth?.providers).toMatchObject([
      { clientId: 'i', clientSecret: 's', scope: 'read:user' },
    ])
  })

  test('does not replace what the file says', () => {
    const env = { OAUTH2_GITHUB_CLIENT_ID: 'x', OAUTH2_GITHUB_CLIENT_SECRET: 'x' }
    expect(read(one('github'), env).oauth?.providers).toMatchObject([{ clientId: 'a', clientSecret: 'b' }])
  })

  test('takes names with a dash in both spellings', () => {
    const env = { 'OAUTH2_GOOGLE-OAUTH2_CLIENT_ID': 'i', OAUTH2_GOOGLE_OAUTH2_CLIENT_SECRET: 's' }
    expect(read('providers: [{ name: google-oauth2 }]', env).oauth?.providers).toMatchObject([
      { clientId: 'i', clientSecret: 's' },
    ])
  })

  test('gives the issuer of Keycloak', () => {
    const env = { SOCIAL_AUTH_OIDC_ENDPOINT: 'https://login.example/realms/r' }
    expect(read(one('keycloak'), env).oauth?.providers).toMatchObject([
      { kind: 'keycloak', issuer: 'https://login.example/realms/r' },
    ])
  })

  test('is enough without a file, for providers that are known and described completely', () => {
    const env = { OAUTH2_GITHUB_CLIENT_ID: 'i', OAUTH2_GITHUB_CLIENT_SECRET: 's', OAUTH2_HUGGINGFACE_CLIENT_ID: 'half' }
    const { oauth, warnings } = read(null, env)
    expect(oauth?.providers.map(({ name }) => name)).toEqual(['github'])
    expect(warnings).toEqual([expect.stringContaining('SERVICE_AUTH_OAUTH_CFG names')])
  })
})

test.each([
  { given: 'https://postil.example', ok: true },
  { given: 'https://postil.example:8443/', ok: true },
  { given: 'http://localhost:6900', ok: true },
  { given: 'https://postil.example/annotation', ok: false },
  { given: 'https://user:password@postil.example', ok: false },
  { given: 'postil.example', ok: false },
  { given: 'javascript:alert(1)', ok: false },
])('SERVICE_PUBLIC_URL $given is accepted: $ok', ({ given, ok }) => {
  const read = () => readConfig({ SERVICE_PUBLIC_URL: given }).publicOrigin
  if (ok) expect(read()).toBe(new URL(given).origin)
  else expect(read).toThrow('SERVICE_PUBLIC_URL')
})
