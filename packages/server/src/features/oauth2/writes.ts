/**
 * Internal routes by which the main thread calls the writer after a provider has identified a user. They are not part of the API.
 */
import { route } from '@postil/domain/api/route'
import { List, Nullable, OneOf, Shape, type Static, Text } from '@postil/domain/schema'
import { ROLES } from '@postil/domain/users'

const inner = { method: 'POST', path: '', tag: 'inner', auth: false, runs: 'writer', urgent: true } as const

export const FinishedSignIn = Shape({
  identity: Shape({
    provider: Text(),
    issuer: Text(),
    subject: Text(),
    username: Text(),
    first_name: Text(),
    role: Nullable(OneOf(ROLES)),
    workspaces: Nullable(List(Text())),
  }),
  state_hash: Text(),
  return_to: Text(),
  cookie_name: Text(),
})
export type FinishedSignIn = Static<typeof FinishedSignIn>

export const openProviderSession = route({
  ...inner,
  id: 'openProviderSession',
  summary: 'Begin a session of the user to whom an account at a provider belongs',
  status: 201,
  body: FinishedSignIn,
})

export const signProviderToken = route({
  ...inner,
  id: 'signProviderToken',
  summary: 'Sign a token of the user to whom an account at a provider belongs',
  status: 200,
  body: FinishedSignIn,
})
