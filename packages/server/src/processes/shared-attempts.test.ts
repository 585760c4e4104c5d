import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AttemptKey, type Attempts, openAttempts } from '../lib/attempts.ts'
import { openSharedAttempts } from './shared-attempts.ts'
import { describeOnPostgres } from './testing/on-postgres.ts'

const keysOf = (account: string, address = 'here'): AttemptKey[] => [
  { limit: 'account_and_address', value: `${address} ${account}` },
  { limit: 'account', value: account },
  { limit: 'address', value: address },
]
const wrong = async () => null
const right = async () => 'right'

describeOnPostgres('attempts at passwords in several processes', ({ db, openAnother }) => {
  const open: Attempts[] = []
  /** Delays of attempts in milliseconds. The tests do not actually wait. */
  let held: number[]
  beforeEach(async () => {
    held = []
    await db().sql.run('delete from sign_in_attempts')
  })
  afterEach(async () => {
    for (const attempts of open.splice(0)) await attempts.close()
  })
  const openProcess = (processes = 1) => {
    const counts = openSharedAttempts({ db: openAnother(), log: pino({ level: 'silent' }) })
    const sleep = async (ms: number) => void held.push(ms)
    const attempts = openAttempts({ counts, sleep, processes: () => processes })
    open.push(attempts)
    return attempts
  }
  const guess = (attempts: Attempts, keys = keysOf('lena')) => attempts.run(keys, wrong)
  const rows = () => db().sql.all<{ name: string }>('select name from sign_in_attempts')

  test('are counted together: ten are free, in however many processes', async () => {
    const processes = [openProcess(), openProcess(), openProcess()]
    for (let i = 0; i < 10; i++) await guess(processes[i % 3] as Attempts)
    expect(held).toEqual([])
    await guess(processes[1] as Attempts)
    await guess(processes[2] as Attempts)
    expect(held).toEqual([500, 1_000])
  })

  test('at the same time are counted each', async () => {
    const processes = [openProcess(), openProcess()]
    await Promise.all(Array.from({ length: 15 }, (_, i) => guess(processes[i % 2] as Attempts)))
    expect(held.toSorted((a, b) => a - b)).toEqual([500, 1_000, 1_500, 2_000, 2_500])
  })

  test('are remembered by a process that starts later', async () => {
    const first = openProcess()
    for (let i = 0; i < 11; i++) await guess(first)
    await guess(openProcess())
    expect(held).toEqual([500, 1_000])
  })

  test('with the right password do not count, and make the address familiar to all processes', async () => {
    const [one, two] = [openProcess(), openProcess()]
    const isFamiliar = (attempts: Attempts, address: string) =>
      attempts.run(keysOf('lena', address), async familiar => ({ familiar }))
    expect(await isFamiliar(one, 'home')).toEqual({ familiar: false })
    await expect.poll(() => isFamiliar(two, 'home')).toEqual({ familiar: true })
    for (let i = 0; i < 40; i++) await guess(one, keysOf('lena', `address ${i}`))
    held = []
    expect(await two.run(keysOf('lena', 'home'), right)).toBe('right')
    expect(held).toEqual([])
    await two.run(keysOf('lena', 'elsewhere'), right)
    expect(held).toEqual([5_000])
  })

  test('that failed for another reason do not count', async () => {
    const attempts = openProcess()
    for (let i = 0; i < 20; i++) {
      await expect(attempts.run(keysOf('lena'), () => Promise.reject(new Error('full')))).rejects.toThrow('full')
    }
    // Counts are taken back in the background, and `close` waits for that.
    await open.pop()?.close()
    await guess(openProcess())
    expect(held).toEqual([])
  })

  test('of which too many are held are refused, and each process has its share of the places', async () => {
    const counts = openSharedAttempts({ db: openAnother(), log: pino({ level: 'silent' }) })
    const attempts = openAttempts({ counts, sleep: () => new Promise(() => {}), processes: () => 5 })
    open.push(attempts)
    for (let i = 0; i < 10; i++) await guess(attempts)
    for (let i = 0; i < 2; i++) void guess(attempts)
    await expect.poll(async () => (await attemptsOf('account_and_address')) >= 12).toBe(true)
    await expect(guess(attempts)).rejects.toMatchObject({ code: 'too_many_attempts' })
  })

  const attemptsOf = async (limit: string) => {
    // Subtracts a second as tolerance for clock adjustments and rounding.
    const text = `select ceil((forgotten_at - extract(epoch from clock_timestamp()) * 1000 - 1000) / 10000)::int as wrong
      from sign_in_attempts where name like ?`
    return (await db().sql.get<{ wrong: number }>(text, [`${limit} %`]))?.wrong ?? 0
  }

  test('are forgotten within minutes after a long attack', async () => {
    const attempts = openProcess()
    for (let i = 0; i < 60; i++) await guess(attempts)
    expect(await attemptsOf('account_and_address')).toBe(30)
    expect(await attemptsOf('account')).toBe(40)
    expect(await attemptsOf('address')).toBe(50)
  })

  test('leave no names and no addresses', async () => {
    await guess(openProcess(), keysOf('lena', '192.0.2.1'))
    expect(JSON.stringify(await rows())).not.toMatch(/lena|192/)
  })
})
