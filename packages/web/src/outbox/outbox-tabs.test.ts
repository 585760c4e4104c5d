/** Several tabs of one user: one of them sends the writes of all. */
import { describe, expect, test } from 'vitest'
import { openMemoryDatabase } from '../storage/testing/memory-database.ts'
import type { WriteResult } from './send.ts'
import {
  answerOf,
  createBrowser,
  flakyServer,
  makeWrite,
  openTestOutbox,
  pause,
  pollLater,
  stopTime,
  untilSettled,
} from './testing/outbox-kit.ts'
import type { Write } from './write.ts'

describe('two tabs of one person', () => {
  function openTwo(send: (batch: Write[]) => Promise<WriteResult[]>) {
    const browser = createBrowser()
    const database = openMemoryDatabase()
    const [first, second] = [browser.openTab('first', true), browser.openTab('second', false)]
    const never = async () => Promise.reject(new Error('A tab that follows does not send'))
    const leader = openTestOutbox(send, { tabs: first, database })
    const follower = openTestOutbox(never, { tabs: second, database })
    return { leader, follower, first, second }
  }

  test('the one that leads sends for both, and both know', async () => {
    const server = flakyServer([])
    const { leader, follower } = openTwo(server.send)
    await pause(1)
    follower.outbox.put(makeWrite('w', '1', 'submitted', 1))
    await untilSettled(leader)
    await untilSettled(follower)
    expect(answerOf(server, '1')).toBe(1)
    expect(follower.known.get('1')?.status).toBe('submitted')
    expect(leader.elsewhere.map(({ id }) => id)).toEqual(['w'])
  })

  test('an answer that neither has seen of the other does not replace it: the server decides', async () => {
    const gate = Promise.withResolvers<void>()
    const server = flakyServer([])
    const { leader, follower } = openTwo(async batch => {
      await gate.promise
      return server.send(batch)
    })
    await pause(1)
    leader.outbox.put(makeWrite('mine', '1', 'submitted', 1))
    follower.outbox.put(makeWrite('stale', '1', 'draft', 2))
    gate.resolve()
    await untilSettled(leader)
    expect([server.stored.get('1')?.status, answerOf(server, '1')]).toEqual(['submitted', 1])
    expect(leader.outbox.refused.value).toMatchObject([{ id: 'stale', refusal: { kind: 'conflict' } }])
  })

  test('what is undone in the one that follows is never sent', async () => {
    const server = flakyServer([])
    const { leader, follower } = openTwo(server.send)
    leader.isPaused.value = true
    await pause(1)
    follower.outbox.put(makeWrite('done', '1', 'submitted', 1))
    await pause(1)
    follower.outbox.put(makeWrite('undone', '1', null, 2))
    await pause(1)
    leader.isPaused.value = false
    await untilSettled(leader)
    await untilSettled(follower)
    expect(server.stored.size).toBe(0)
  })

  test('a leader that sleeps is replaced, and what it had is sent once', async () => {
    const server = flakyServer([])
    const browser = createBrowser()
    const database = openMemoryDatabase()
    const [first, second] = [browser.openTab('first', true), browser.openTab('second', false)]
    const sleeper = openTestOutbox(() => new Promise(() => undefined), { tabs: first, database })
    const waker = openTestOutbox(server.send, { tabs: second, database })
    await pause(1)
    sleeper.outbox.put(makeWrite('old', '1', 'submitted', 1))
    await pause(1)
    first.sleep()
    stopTime()
    waker.outbox.put(makeWrite('new', '2', 'submitted', 2))
    await pollLater(() => server.stored.size).toBe(2)
    await pollLater(() => waker.outbox.waiting.value).toBe(0)
    expect(waker.outbox.refused.value).toEqual([])
  })
})
