/** Password guessing: which clients are slowed down, and which are not. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anAddress, aUser, fresh, openWorld, PASSWORD, type World } from './http.ts'

let world: World
const signIn = async (username: string, password: string, from: string) => {
  const headers = { 'x-forwarded-for': from }
  return (await world.nobody.send('POST /session', { username, password }, headers)).status
}
const aPerson = async () => (await aUser(world.server.url, world.owner, 'annotator', { username: fresh('lena') })).username
const many = <T>(count: number, attempt: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => attempt(i)))

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

describe('behind a trusted proxy', () => {
  test('an attack from elsewhere does not keep anybody out from an address of theirs, nor from a new one', async () => {
    const username = await aPerson()
    const [known, unknown, ...guessing] = Array.from({ length: 4 }, anAddress) as [string, string, string, string]
    expect(await signIn(username, PASSWORD, known)).toBe(201)
    let isOver = false
    const statuses: number[] = []
    const attack = many(24, async i => {
      while (!isOver) {
        const status = await signIn(username, 'a guess', guessing[i % 2] ?? '')
        statuses.push(status)
        if (status === 429) await setTimeout(20)
      }
    })
    try {
      // Many more attempts than the free ones. Whether every slot of the account is taken depends on how fast passwords are
      // checked, see lib/attempts.test.ts.
      await expect.poll(() => statuses.length).toBeGreaterThan(60)
      for (let i = 0; i < 3; i++) expect(await signIn(username, PASSWORD, known)).toBe(201)
      expect(await signIn(username, PASSWORD, unknown)).toBe(201)
    } finally {
      isOver = true
    }
    await attack
    expect(statuses.filter(status => status !== 401 && status !== 429)).toEqual([])
  })

  test('the last address that the proxy names counts, not those before it', async () => {
    const username = await aPerson()
    const proxied = anAddress()
    const spoofed = (i: number) => `203.0.113.${i}, ${proxied}`
    await many(10, i => signIn(username, 'a guess', spoofed(i)))
    const statuses = await many(12, i => signIn(username, 'a guess', spoofed(100 + i)))
    expect(statuses).toContain(429)
  })

  test('many addresses are counted apart', async () => {
    const username = await aPerson()
    const statuses = await many(20, () => signIn(username, 'a guess', anAddress()))
    expect(new Set(statuses)).toEqual(new Set([401]))
  })
})
