import type { RetryLater } from '@postil/domain/errors'
import { describe, expect, test } from 'vitest'
import { type BodyAccount, BodyBudget, createBodyBudgets } from './body-budget.ts'

const MIB = 1_048_576

/** Returns `ok`, or the code of the refusal. */
function take(account: BodyAccount, bytes: number): string {
  try {
    account.take(bytes)
    return 'ok'
  } catch (error) {
    const { code, retryAfterSeconds } = error as RetryLater
    expect(retryAfterSeconds).toBeGreaterThan(0)
    return code
  }
}

describe('a budget with shares', () => {
  const openBudget = () => new BodyBudget({ totalBytes: 100, shareBytes: 60 })

  test.each([
    { bytes: 60, answer: 'ok' },
    { bytes: 61, answer: 'too_many_attempts' },
  ])('$bytes of 60 bytes of one user, in one body or in two: $answer', ({ bytes, answer }) => {
    expect(take(openBudget().open('lena'), bytes)).toBe(answer)
    const budget = openBudget()
    expect(take(budget.open('lena'), 30)).toBe('ok')
    expect(take(budget.open('lena'), bytes - 30)).toBe(answer)
  })

  test.each([
    { bytes: 40, answer: 'ok' },
    { bytes: 41, answer: 'unavailable' },
  ])('$bytes bytes beside 60 of another user, of 100: $answer', ({ bytes, answer }) => {
    const budget = openBudget()
    take(budget.open('lena'), 60)
    expect(take(budget.open('omar'), bytes)).toBe(answer)
  })

  test('what was refused is not counted, and what is released can be used again', () => {
    const budget = openBudget()
    const account = budget.open('lena')
    expect([take(account, 50), take(account, 20), take(account, 10)]).toEqual(['ok', 'too_many_attempts', 'ok'])
    account.release()
    account.release()
    expect(budget.usedBytes).toBe(0)
    expect(take(budget.open('lena'), 60)).toBe('ok')
  })

  test('evicts no body', () => {
    const budget = openBudget()
    const first = budget.open('lena')
    first.onEvicted = () => expect.unreachable()
    take(first, 60)
    expect(take(budget.open('omar'), 50)).toBe('unavailable')
  })
})

describe('a budget without shares', () => {
  function openAccounts(sizes: number[]) {
    const budget = new BodyBudget({ totalBytes: 100 })
    const evicted: number[] = []
    const accounts = sizes.map((size, index) => {
      const account = budget.open('')
      account.onEvicted = error => void evicted.push(error.code === 'unavailable' ? index : Number.NaN)
      take(account, size)
      return account
    })
    return { budget, evicted, accounts }
  }

  test('the oldest unfinished bodies make room for a new one, and no more of them than needed', () => {
    const { budget, evicted } = openAccounts([30, 30, 30])
    expect(take(budget.open(''), 50)).toBe('ok')
    expect(evicted).toEqual([0, 1])
    expect(budget.usedBytes).toBe(80)
  })

  test('finished bodies stay: they are being answered', () => {
    const { budget, evicted, accounts } = openAccounts([50, 50])
    accounts[0]?.finish()
    const newer = budget.open('')
    expect(take(newer, 50)).toBe('ok')
    expect(evicted).toEqual([1])
    newer.finish()
    expect(take(budget.open(''), 50)).toBe('unavailable')
  })

  test('the oldest itself is refused when it needs more than there is', () => {
    const { evicted, accounts } = openAccounts([50, 50])
    expect(take(accounts[0] as BodyAccount, 1)).toBe('unavailable')
    expect(evicted).toEqual([])
  })
})

describe('the budgets of a server', () => {
  test.each([
    { limit: 1 * MIB, share: 128 * MIB, total: 256 * MIB },
    { limit: 64 * MIB, share: 128 * MIB, total: 256 * MIB },
    { limit: 500 * MIB, share: 500 * MIB, total: 1000 * MIB },
  ])('with a limit of $limit bytes: $share large ones for each user, $total in all', ({ limit, share, total }) => {
    const budgets = createBodyBudgets(limit)
    const open = (userId: string) => budgets.open({ userId, isLarge: true })
    expect([take(open('lena'), share), take(open('lena'), 1)]).toEqual(['ok', 'too_many_attempts'])
    expect([take(open('omar'), total - share), take(open('noor'), 1)]).toEqual(['ok', 'unavailable'])
  })

  test('large, small and unauthenticated bodies do not take each other’s place', () => {
    const budgets = createBodyBudgets(64 * MIB)
    const anonymous = { userId: null, isLarge: true }
    for (const userId of ['lena', 'omar']) expect(take(budgets.open({ userId, isLarge: true }), 128 * MIB)).toBe('ok')
    expect(take(budgets.open({ userId: 'lena', isLarge: false }), 16 * MIB)).toBe('ok')
    expect(take(budgets.open({ userId: 'lena', isLarge: false }), 1)).toBe('too_many_attempts')
    expect(take(budgets.open(anonymous), 16 * MIB)).toBe('ok')
    expect(take(budgets.open(anonymous), 17 * MIB)).toBe('unavailable')
  })
})
