/** Password guessing: which clients are slowed down, and which are not. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aUser, fresh, openWorld, type World } from './http.ts'

const PASSWORD = 'a long password'

let world: World
const signIn = async (username: string, password: string, from: string) => {
  const headers = { 'x-forwarded-for': from }
  return (await world.nobody.send('POST /session', { username, password }, headers)).status
}
const aPerson = async () => (await aUser(world.server.url, world.owner, 'annotator', { username: fresh('lena') })).username
const many = <T>(count: number, attempt: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => attempt(i)))

describe('behind a trusted proxy', () => {
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world?.close())

  test('an attack from elsewhere does not keep anybody out from an address of theirs, nor from a new one', async () => {
    const username = await aPerson()
    expect(await signIn(username, PASSWORD, '192.0.2.1')).toBe(201)
    let isOver = false
    const statuses: number[] = []
    const attack = many(24, async i => {
      while (!isOver) {
        const status = await signIn(username, 'a guess', `198.51.100.${i % 2}`)
        statuses.push(status)
        if (status === 429) await setTimeout(20)
      }
    })
    try {
      // Many more attempts than the free ones. Whether every slot of the account is taken depends on how fast passwords are
      // checked, see lib/attempts.test.ts.
      await expect.poll(() => statuses.length).toBeGreaterThan(60)
      for (let i = 0; i < 3; i++) expect(await signIn(username, PASSWORD, '192.0.2.1')).toBe(201)
      expect(await signIn(username, PASSWORD, '192.0.2.2')).toBe(201)
    } finally {
      isOver = true
    }
    await attack
    expect(statuses.filter(status => status !== 401 && status !== 429)).toEqual([])
  })

  test('the last address that the proxy names counts, not those before it', async () => {
    const username = await aPerson()
    const spoofed = (i: number) => `203.0.113.${i}, 198.51.100.9`
    await many(10, i => signIn(username, 'a guess', spoofed(i)))
    const statuses = await many(12, i => signIn(username, 'a guess', spoofed(100 + i)))
    expect(statuses).toContain(429)
  })

  test('many addresses are counted apart', async () => {
    const username = await aPerson()
    const statuses = await many(20, i => signIn(username, 'a guess', `203.0.113.${i}`))
    expect(new Set(statuses)).toEqual(new Set([401]))
  })
})

describe('without trusted proxies', () => {
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world?.close())

  test('nobody gets more attempts by naming other addresses', async () => {
    const username = await aPerson()
    await many(10, i => signIn(username, 'a guess', `203.0.113.${i}`))
    const statuses = await many(12, i => signIn(username, 'a guess', `203.0.113.${100 + i}`))
    expect(statuses).toContain(429)
    expect(await signIn(username, PASSWORD, '203.0.113.200')).toBe(201)
  })
})
