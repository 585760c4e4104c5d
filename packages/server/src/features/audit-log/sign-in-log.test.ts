import type { AuditEntry } from '@postil/domain/audit-log'
import { beforeEach, describe, expect, test } from 'vitest'
import { openClock } from '../../lib/clock.ts'
import { createIdGenerator } from '../../lib/uuid.ts'
import { type Attempt, openSignInLog, type SignInLog } from './sign-in-log.ts'

const MINUTE_MS = 60_000
const ADA = { id: 'a', username: 'ada' }

let stored: AuditEntry[]
let warnings: unknown[][]
let isBroken: boolean
let nowMs: number
let log: SignInLog
beforeEach(() => {
  stored = []
  warnings = []
  isBroken = false
  nowMs = 0
  log = openSignInLog({
    ctx: { now: openClock(), newId: createIdGenerator(), log: { warn: (...given: unknown[]) => void warnings.push(given) } },
    store: async entries => {
      if (isBroken) throw new Error('disk full')
      stored.push(...entries)
    },
    nowMs: () => nowMs,
  })
})

const failed = (address: string, given: Partial<Attempt> = {}): Attempt => ({
  action: 'user.sign_in_failed',
  why: { reason: 'wrong_password' },
  user: ADA,
  isProven: false,
  sender: { address, userAgent: 'curl/8' },
  ...given,
})
const unknown = (address: string) => failed(address, { user: null, why: { reason: 'unknown_user' } })
const signedIn = (address: string) => failed(address, { action: 'user.signed_in', why: { method: 'token' }, isProven: true })
const many = (count: number, make: (index: number) => Attempt) => {
  for (let index = 0; index < count; index++) log.add(make(index))
}
const counts = () => stored.map(({ address, details }) => [address, details.count ?? 1])

describe('sign-ins are collected', () => {
  test('with user, address and reason; who failed is not an actor', async () => {
    log.add(failed('192.0.2.1'))
    log.add(unknown('192.0.2.2'))
    log.add(signedIn('192.0.2.3'))
    await log.flush()
    const target = { type: 'user', id: 'a', name: 'ada' }
    const common = { workspace_id: null, id: expect.any(String), inserted_at: expect.any(String) }
    expect(stored).toEqual([
      {
        ...common,
        action: 'user.sign_in_failed',
        actor: null,
        target,
        address: '192.0.2.1',
        details: { reason: 'wrong_password', user_agent: 'curl/8' },
      },
      {
        ...common,
        action: 'user.sign_in_failed',
        actor: null,
        target: null,
        address: '192.0.2.2',
        details: { reason: 'unknown_user', user_agent: 'curl/8' },
      },
      {
        ...common,
        action: 'user.signed_in',
        actor: ADA,
        target,
        address: '192.0.2.3',
        details: { method: 'token', user_agent: 'curl/8' },
      },
    ])
  })

  test('once a minute for each user and address, and the others are counted', async () => {
    many(50, () => failed('192.0.2.1'))
    many(3, () => failed('192.0.2.2'))
    log.add(failed('192.0.2.3'))
    await log.flush()
    expect(counts()).toEqual([
      ['192.0.2.1', 1],
      ['192.0.2.2', 1],
      ['192.0.2.3', 1],
    ])
    nowMs = MINUTE_MS - 1
    await log.flush()
    expect(stored).toHaveLength(3)
    nowMs = MINUTE_MS
    await log.flush()
    expect(counts().slice(3)).toEqual([
      ['192.0.2.1', 49],
      ['192.0.2.2', 2],
    ])
    // The first attempt of a new minute gets its own entry.
    log.add(failed('192.0.2.1'))
    await log.flush()
    expect(counts().slice(5)).toEqual([['192.0.2.1', 1]])
  })

  test('an attack from many addresses makes a bounded number of entries, and all are counted', async () => {
    many(5_000, index => failed(`address ${index}`))
    await log.flush()
    expect(stored).toHaveLength(100)
    nowMs = MINUTE_MS
    await log.flush()
    expect(stored.slice(100)).toMatchObject([
      { target: null, address: null, details: { reason: 'wrong_password', count: 4_900 } },
    ])
  })

  test('an attack of one kind hides no sign-in of another', async () => {
    many(5_000, index => unknown(`address ${index}`))
    log.add(failed('192.0.2.1'))
    log.add(signedIn('192.0.2.2'))
    await log.flush()
    expect(stored.slice(-2)).toMatchObject([{ address: '192.0.2.1' }, { address: '192.0.2.2', actor: ADA }])
  })

  test('what could not be stored is kept, up to a limit, and stored later', async () => {
    isBroken = true
    log.add(signedIn('192.0.2.1'))
    await expect(log.flush()).rejects.toThrow('disk full')
    for (let minute = 1; minute <= 20; minute++) {
      nowMs = minute * MINUTE_MS
      many(100, index => failed(`address ${index}`))
      await expect(log.flush()).rejects.toThrow('disk full')
    }
    isBroken = false
    await log.flush()
    expect(stored).toHaveLength(1_000)
    expect(stored[0]).toMatchObject({ action: 'user.signed_in' })
    expect(warnings).toEqual([[{ dropped: 1_001 }, expect.stringContaining('dropped')]])
    await log.flush()
    expect(stored).toHaveLength(1_000)
  })

  test('when the server stops, everything is stored', async () => {
    many(7, () => failed('192.0.2.1'))
    await log.close()
    expect(counts()).toEqual([
      ['192.0.2.1', 1],
      ['192.0.2.1', 6],
    ])
  })
})
