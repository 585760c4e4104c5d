/** Users, workspaces, tokens and sessions, against one server. */
import { afterAll, describe } from 'vitest'
import { closeSharedWorld } from './http.ts'

afterAll(closeSharedWorld)

describe('users and workspaces', async () => {
  await import('./users.contract.ts')
})

describe('tokens', async () => {
  await import('./tokens.contract.ts')
})

describe('sessions', async () => {
  await import('./sessions.contract.ts')
})
