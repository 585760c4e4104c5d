/** Provider state of a process: metadata, used states, and the number of waiting users. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import type { ProviderConfig } from '../../oauth-config.ts'
import { createProviders } from './providers.ts'
import { type HostileProvider, openHostileProvider } from './testing/hostile-provider.ts'

const HOUR_MS = 3_600_000
const DESCRIPTION = '/.well-known/openid-configuration'

let server: HostileProvider
beforeEach(async () => {
  server = await openHostileProvider()
})
afterEach(() => server.close())

function open() {
  const [github] = readConfig({ OAUTH2_GITHUB_CLIENT_ID: 'a', OAUTH2_GITHUB_CLIENT_SECRET: 'b' }).oauth.providers
  const provider = { ...github, name: 'campus', kind: 'oidc', issuer: server.url } as ProviderConfig
  const clock = { ms: 0 }
  return { provider, clock, providers: createProviders({ providers: [provider] }, { nowMs: () => clock.ms }) }
}

const countReads = () => server.requests.filter(path => path === DESCRIPTION).length
const fail = () => server.behave({ answer: { [DESCRIPTION]: response => void response.writeHead(500).end() } })

describe('the description of a provider', () => {
  test('is read once by all who sign in, and again after an hour', async () => {
    const { providers, provider, clock } = open()
    await Promise.all([providers.connect(provider), providers.connect(provider)])
    clock.ms = HOUR_MS - 1
    await providers.connect(provider)
    expect(countReads()).toBe(1)
    clock.ms = HOUR_MS
    await providers.connect(provider)
    expect(countReads()).toBe(2)
  })

  test('that cannot be read is asked for again, but not by each request', async () => {
    const { providers, provider, clock } = open()
    fail()
    await expect(providers.connect(provider)).rejects.toThrow()
    server.behave({})
    await expect(providers.connect(provider)).rejects.toThrow()
    clock.ms = 5_000
    await expect(providers.connect(provider)).resolves.toBeDefined()
    expect(countReads()).toBe(2)
  })

  test('that cannot be read again stays as it was', async () => {
    const { providers, provider, clock } = open()
    const first = await providers.connect(provider)
    fail()
    clock.ms = HOUR_MS
    expect(await providers.connect(provider)).toBe(first)
    expect(countReads()).toBe(2)
  })
})

describe('a state', () => {
  test('is used once until its sign-in would have expired', () => {
    const { providers, clock } = open()
    expect([providers.useState('a'), providers.useState('b'), providers.useState('a')]).toEqual([true, true, false])
    clock.ms = 599_999
    expect(providers.useState('a')).toBe(false)
  })

  test('is remembered in a bounded memory', () => {
    const { providers } = open()
    for (let i = 0; i < 20_001; i++) expect(providers.useState(String(i))).toBe(true)
    expect(providers.useState('20000')).toBe(false)
    expect(providers.useState('0')).toBe(true)
  })
})

test('few people wait for a provider at once, from one address and in all; those who are done make room', async () => {
  const { providers } = open()
  const gate = Promise.withResolvers<void>()
  const wait = (address: string) => providers.limited(address, () => gate.promise)
  const waiting = Array.from({ length: 10 }, () => wait('192.0.2.1'))
  await expect(wait('192.0.2.1')).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 5 })
  for (let i = 0; i < 90; i++) waiting.push(wait(`198.51.100.${i}`))
  await expect(wait('203.0.113.1')).rejects.toMatchObject({ code: 'too_many_attempts' })
  gate.resolve()
  await Promise.all(waiting)
  await expect(wait('192.0.2.1')).resolves.toBeUndefined()
})
