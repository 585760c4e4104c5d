import { fresh, type World } from './http.ts'
import type { RouteCases } from './route-case.ts'

let accounts = 0

/** A new user who returns from the provider, with the cookie from the start of the sign-in. */
async function aReturn({ nobody, github }: World) {
  const begun = await nobody.send('GET /oauth2/providers/github/authentication')
  const cookie = begun.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const returned = github.grant(begun.headers.get('location') ?? '', { id: ++accounts, login: fresh('somebody') })
  return { returned, headers: { cookie } }
}

const params = { provider: 'github' }

export const oauth2Cases: Record<string, RouteCases> = {
  listOAuthProviders: { request: () => ({}) },
  beginOAuthSignIn: { request: () => ({ params }), missing: ['provider'] },
  createOAuthToken: {
    request: async world => {
      const { returned, headers } = await aReturn(world)
      return { params, query: new URLSearchParams(returned).toString(), headers }
    },
    missing: ['provider'],
    invalid: [{ query: `code=${'x'.repeat(4_001)}&state=x`, problems: [['string_too_long', 'query', 'code']] }],
  },
  createOAuthSession: {
    request: async world => {
      const { returned, headers } = await aReturn(world)
      return { params, body: returned, headers }
    },
    missing: ['provider'],
    invalid: [
      {
        body: { code: 1, state: 'x'.repeat(201) },
        problems: [
          ['string_type', 'body', 'code'],
          ['string_too_long', 'body', 'state'],
        ],
      },
    ],
  },
}
