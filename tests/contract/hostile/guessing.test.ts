/** Password guessing over HTTP: it stays slow, locks no user out and does not slow down other users. */
import { setTimeout as pause } from 'node:timers/promises'
import type { User } from '@postil/domain/users'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SMALL } from '../datasets.ts'
import { type Answer, anAddress, aUser, PASSWORD } from '../http.ts'
import { datasetOf, openTarget, recordsOf, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterAll(() => target?.close())

const signIn = (username: string, password: string, headers: Record<string, string>): Promise<Answer<User>> =>
  target.nobody.send<User>('POST /session', { username, password }, headers)
const aPerson = async () => (await aUser(target.server.url, target.owner, 'annotator')).username

const cookieHeader = (answer: Answer, name: string) =>
  answer.headers
    .getSetCookie()
    .map(cookie => cookie.split(';')[0] ?? '')
    .find(cookie => cookie.startsWith(`${name}=`)) ?? ''

/** Returns the 95th percentile of the time of sequential calls until `until` settles. */
async function timeOf(until: Promise<unknown>, call: (round: number) => Promise<Answer>): Promise<number> {
  let running = true
  void until.finally(() => {
    running = false
  })
  const times: number[] = []
  do {
    const started = performance.now()
    const { status, text } = await call(times.length)
    expect([status, text]).toEqual([expect.toSatisfy((code: number) => code === 200 || code === 201), text])
    times.push(performance.now() - started)
  } while (running && times.length < 500)
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
}

describe('200 sign-ins with random names at once', () => {
  test('are answered 401 or 429, and others hardly notice', async () => {
    const dataset = await datasetOf(target, SMALL)
    const items = Array.from({ length: 500 }, (_, i) => ({ fields: { text: `record ${i}` } }))
    const records = await recordsOf(target, dataset, items)
    const headers = { 'x-forwarded-for': anAddress() }
    const begun = performance.now()
    const guesses = Promise.all(Array.from({ length: 200 }, (_, i) => signIn(`nobody ${i} ${Math.random()}`, PASSWORD, headers)))
    const [{ answers, attackMs }, status, submit] = await Promise.all([
      guesses.then(all => ({ answers: all, attackMs: performance.now() - begun })),
      timeOf(guesses, () => target.nobody.send('GET /status')),
      timeOf(guesses, round =>
        target.owner.send(`POST /records/${records[round]?.id}/responses`, {
          values: { mood: { value: 'happy' } },
          status: 'submitted',
        }),
      ),
    ])
    const counts = Map.groupBy(answers, answer => answer.status)
    expect([...counts.keys()].toSorted()).toEqual([401, 429])
    for (const refused of counts.get(429) ?? []) expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/)
    // Those who would have to wait for the guesses would wait for most of them.
    expect(status).toBeLessThan(attackMs / 2)
    expect(submit).toBeLessThan(attackMs / 2)
  })
})

describe('one wrong try a second from the victim’s address', () => {
  test('does not keep the victim out', async () => {
    const username = await aPerson()
    const headers = { 'x-forwarded-for': anAddress() }
    for (let i = 0; i < 10; i++) expect((await signIn(username, `guess ${i}`, headers)).status).toBe(401)
    const attack = new AbortController()
    const guesses: Promise<Answer>[] = []
    const attacking = (async () => {
      while (!attack.signal.aborted) {
        guesses.push(signIn(username, 'one more', headers))
        await pause(1_000)
      }
    })()
    await pause(3_000)
    const started = performance.now()
    const answer = await signIn(username, PASSWORD, headers)
    const ms = performance.now() - started
    attack.abort()
    await attacking
    for (const { status } of await Promise.all(guesses)) expect([401, 429]).toContain(status)
    expect(answer.status).toBe(201)
    expect(ms).toBeLessThan(20_000)
  })
})

describe('a browser that has signed in before', () => {
  test('does not wait while others guess from the same address', async () => {
    const username = await aPerson()
    const headers = { 'x-forwarded-for': anAddress() }
    const device = cookieHeader(await signIn(username, PASSWORD, headers), 'postil_device')
    const guesses = Array.from({ length: 60 }, () => signIn(username, 'a guess', headers))
    await Promise.race(guesses)
    const order: string[] = []
    const slowest = Promise.all(guesses).then(() => order.push('guesses'))
    expect((await signIn(username, PASSWORD, { ...headers, cookie: device })).status).toBe(201)
    order.push('victim')
    await slowest
    expect(order).toEqual(['victim', 'guesses'])
  })
})

describe('the address of the client', () => {
  test('is taken from a proxy that is trusted: another one is not slowed', async () => {
    const [mine, other] = [anAddress(), anAddress()]
    const guess = async (address: string) => {
      const { status } = await signIn(`nobody ${Math.random()}`, PASSWORD, { 'x-forwarded-for': `192.0.2.1, ${address}` })
      return { address, status }
    }
    let wrong = 0
    while (wrong < 40) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => guess(mine)))
      wrong += answers.filter(({ status }) => status === 401).length
    }
    const slowed = guess(mine)
    expect(await Promise.race([slowed, guess(other)])).toEqual({ address: other, status: 401 })
    await slowed
  })
})
