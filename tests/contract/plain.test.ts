/** A server without any setting: what is off by default. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { discard, type StartedServer, startServer } from '../server.ts'
import { aUser, type Caller, caller, fresh, PASSWORD } from './http.ts'

let server: StartedServer
let owner: Caller
let nobody: Caller
beforeAll(async () => {
  server = await startServer()
  owner = caller(server.url, server.apiKey)
  nobody = caller(server.url, null)
})
afterAll(() => server && discard(server))

test('metrics are not found, and the web UI does not answer in their place', async () => {
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
})

test('there are no sign-in providers', async () => {
  expect((await nobody.send('GET /oauth2/providers')).body).toEqual({ items: [] })
})

const signIn = async (username: string, password: string, from: string) =>
  (await nobody.send('POST /session', { username, password }, { 'x-forwarded-for': from })).status

test('nobody gets more attempts by naming other addresses', async () => {
  const { username } = await aUser(server.url, owner, 'annotator', { username: fresh('lena') })
  const guess = (i: number) => signIn(username, 'a guess', `203.0.113.${i}`)
  await Promise.all(Array.from({ length: 10 }, (_, i) => guess(i)))
  expect(await Promise.all(Array.from({ length: 12 }, (_, i) => guess(100 + i)))).toContain(429)
  expect(await signIn(username, PASSWORD, '203.0.113.200')).toBe(201)
})

test('the address of the client is taken from the connection, whatever a header says', async () => {
  const guess = async (i: number) => {
    const form = new URLSearchParams({ username: `nobody ${i}`, password: PASSWORD })
    return (await nobody.send('POST /token', form, { 'x-forwarded-for': `203.0.113.${i}` })).status
  }
  expect(await Promise.all(Array.from({ length: 100 }, (_, i) => guess(i)))).toContain(429)
})
