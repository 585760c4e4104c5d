import { expect, test } from 'vitest'
import { type AttemptKey, openAttempts } from './attempts.ts'

/** A clock that the test advances; delayed attempts wait for it. */
function openAt() {
  let now = 1_000
  const sleeping: { at: number; wake(): void }[] = []
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      sleeping.push({ at: now + ms, wake: resolve })
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const pass = async (ms: number) => {
    now += ms
    for (const sleeper of sleeping.filter(({ at }) => at <= now)) sleeper.wake()
    // Lets everything that follows from waking run.
    await new Promise(setImmediate)
  }
  return { attempts: openAttempts({ nowMs: () => now, sleep }), pass }
}

type Attempts = ReturnType<typeof openAt>['attempts']

const keysOf = (account: string, address = 'here'): AttemptKey[] => [
  { limit: 'account_and_address', value: `${address} ${account}` },
  { limit: 'account', value: account },
  { limit: 'address', value: address },
]
const known = (value: string): AttemptKey[] => [{ limit: 'known', value }]

const wrong = async () => null
const right = async () => 'right'

/** Returns the current state of an attempt. */
async function stateOf(attempt: Promise<unknown>): Promise<unknown> {
  const refusal = attempt.catch((error: { code: string }) => error.code)
  return Promise.race([refusal, new Promise(resolve => setImmediate(() => resolve('held')))])
}

async function many(count: number, attempt: (i: number) => Promise<unknown>): Promise<unknown[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => stateOf(attempt(i))))
}

const guess = (attempts: Attempts, keys: AttemptKey[]) => attempts.run(keys, wrong)
const states = (count: number, state: unknown) => Array.from({ length: count }, () => state)

test('ten wrong attempts at an account from one address cost nothing; each further one waits longer, up to five seconds', async () => {
  const { attempts, pass } = openAt()
  expect(await many(10, () => guess(attempts, keysOf('lena')))).toEqual(states(10, null))
  const held = Array.from({ length: 10 }, () => guess(attempts, keysOf('lena')))
  const heldNow = async () => (await Promise.all(held.map(stateOf))).filter(state => state === 'held').length
  for (let left = 9; left >= 0; left--) {
    await pass(499)
    expect(await heldNow()).toBe(left + 1)
    await pass(1)
    expect(await heldNow()).toBe(left)
  }
  const last = guess(attempts, keysOf('lena'))
  await pass(4_999)
  expect(await stateOf(last)).toBe('held')
  await pass(1)
  expect(await stateOf(last)).toBeNull()
})

test('the right password is checked after the delay, however many wrong ones came before', async () => {
  const { attempts, pass } = openAt()
  await many(10, () => guess(attempts, keysOf('lena')))
  for (let second = 0; second < 300; second++) {
    void guess(attempts, keysOf('lena'))
    await pass(1_000)
  }
  const attempt = attempts.run(keysOf('lena'), right)
  expect(await stateOf(attempt)).toBe('held')
  for (let second = 0; second < 5; second++) {
    void guess(attempts, keysOf('lena'))
    await pass(1_000)
  }
  expect(await stateOf(attempt)).toBe('right')
})

test('ten attempts are delayed for an account and address, one more is refused, and about two a second are checked', async () => {
  const { attempts, pass } = openAt()
  let checked = 0
  const count = async () => {
    checked++
    return null
  }
  await many(10, () => guess(attempts, keysOf('lena')))
  for (let tenth = 0; tenth < 600; tenth++) {
    await stateOf(attempts.run(keysOf('lena'), count))
    await pass(100)
  }
  expect(checked).toBeGreaterThan(60)
  expect(checked).toBeLessThan(140)
  const refused = attempts.run(keysOf('lena'), right)
  await expect(refused).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 5 })
})

test('one address cannot take all slots of an account', async () => {
  const { attempts, pass } = openAt()
  await many(40, () => guess(attempts, keysOf('lena', 'attacker')))
  await pass(0)
  await many(40, () => guess(attempts, keysOf('lena', 'attacker')))
  const attempt = attempts.run(keysOf('lena', 'home'), right)
  expect(await stateOf(attempt)).toBe('held')
  await pass(5_000)
  expect(await stateOf(attempt)).toBe('right')
})

test('two addresses cannot take all slots of an account: a third gets one of theirs', async () => {
  const { attempts, pass } = openAt()
  const refusals: unknown[] = []
  const attack = (address: string) =>
    guess(attempts, keysOf('lena', address)).catch((error: { code: string }) => refusals.push(error.code))
  for (let i = 0; i < 60; i++) void attack(`attacker ${i % 2}`)
  await pass(0)
  const before = refusals.length
  const attempt = attempts.run(keysOf('lena', 'home'), right)
  expect(await stateOf(attempt)).toBe('held')
  expect(refusals.slice(before)).toEqual(['too_many_attempts'])
  // The attack continues and does not get the slot back.
  for (let i = 0; i < 60; i++) void attack(`attacker ${i % 2}`)
  await pass(5_000)
  expect(await stateOf(attempt)).toBe('right')
})

test('attempts of others do not affect an address that has signed in to the account', async () => {
  const { attempts } = openAt()
  const isFamiliar = (account: string, address: string) =>
    attempts.run(keysOf(account, address), async familiar => ({ familiar }))
  expect(await isFamiliar('lena', 'home')).toEqual({ familiar: false })
  expect(await isFamiliar('lena', 'home')).toEqual({ familiar: true })
  expect(await isFamiliar('lena', 'office')).toEqual({ familiar: false })
  expect(await isFamiliar('omar', 'home')).toEqual({ familiar: false })
  await many(1_000, i => guess(attempts, keysOf('lena', `address ${i}`)))
  expect(await stateOf(attempts.run(keysOf('lena', 'home'), right))).toBe('right')
  expect(await stateOf(attempts.run(keysOf('lena', 'elsewhere'), right))).toBe('too_many_attempts')
  // Its guesses are as slow as any other.
  const answers = await many(30, () => guess(attempts, keysOf('lena', 'home')))
  expect(answers).toEqual([...states(10, null), ...states(10, 'held'), ...states(10, 'too_many_attempts')])
  expect(await stateOf(attempts.run(keysOf('omar', 'home'), right))).toBe('right')
})

test('slots are free again after attempts were delayed, refused and displaced', async () => {
  const { attempts, pass } = openAt()
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 60; i++) void guess(attempts, keysOf('lena', `address ${i % 3}`)).catch(() => {})
    await pass(5_000)
    await pass(0)
  }
  const answers = await many(12, i => guess(attempts, keysOf('lena', `other ${i}`)))
  expect(answers).toEqual(states(12, 'held'))
})

test('an account is slowed down when many addresses try it together', async () => {
  const { attempts } = openAt()
  const answers = await many(100, i => guess(attempts, keysOf('lena', `address ${i}`)))
  expect(answers).toEqual([...states(20, null), ...states(12, 'held'), ...states(68, 'too_many_attempts')])
  expect(await stateOf(guess(attempts, keysOf('omar', 'address 1')))).toBeNull()
})

test('an address is slowed down when it tries many names', async () => {
  const { attempts } = openAt()
  const answers = await many(100, i => guess(attempts, keysOf(`name ${i}`)))
  expect(answers).toEqual([...states(30, null), ...states(20, 'held'), ...states(50, 'too_many_attempts')])
  expect(await stateOf(guess(attempts, keysOf('name', 'elsewhere')))).toBeNull()
})

test('a known user is not slowed down by others, and three of their own attempts are delayed', async () => {
  const { attempts } = openAt()
  await many(100, () => guess(attempts, keysOf('lena')))
  expect(await stateOf(attempts.run(known('device'), right))).toBe('right')
  const answers = await many(20, () => guess(attempts, known('device')))
  expect(answers).toEqual([...states(10, null), ...states(3, 'held'), ...states(7, 'too_many_attempts')])
})

test('right ones do not count, nor those that failed for another reason', async () => {
  const { attempts } = openAt()
  for (let i = 0; i < 50; i++) expect(await attempts.run(keysOf('lena'), right)).toBe('right')
  const failing = () => attempts.run(keysOf('lena'), () => Promise.reject(new Error('the queue is full')))
  for (let i = 0; i < 50; i++) await expect(failing()).rejects.toThrow('the queue is full')
  expect(await many(10, () => guess(attempts, keysOf('lena')))).toEqual(states(10, null))
})

test('wrong ones are forgotten, one every ten seconds', async () => {
  const { attempts, pass } = openAt()
  await many(10, () => guess(attempts, keysOf('lena')))
  await pass(9_999)
  expect(await stateOf(guess(attempts, keysOf('lena')))).toBe('held')
  await pass(10_001 + 10_000)
  expect(await stateOf(guess(attempts, keysOf('lena')))).toBeNull()
})

test('the delays end within minutes after a long attack', async () => {
  const { attempts, pass } = openAt()
  for (let i = 0; i < 1_000; i++) {
    void guess(attempts, keysOf('lena')).catch(() => {})
    await pass(100)
  }
  await pass(500_000)
  expect(await many(10, () => guess(attempts, keysOf('lena')))).toEqual(states(10, null))
})

test('delayed attempts are refused when the server stops', async () => {
  const { attempts } = openAt()
  await many(10, () => guess(attempts, keysOf('lena')))
  const attempt = guess(attempts, keysOf('lena'))
  expect(await stateOf(attempt)).toBe('held')
  attempts.close()
  await expect(attempt).rejects.toMatchObject({ code: 'unavailable' })
})

test('of very many keys the one used longest ago is forgotten, and those in use are not', async () => {
  const { attempts } = openAt()
  await many(10, () => guess(attempts, known('first')))
  for (let i = 0; i < 5_000; i++) await guess(attempts, known(`other ${i}`))
  await many(10, () => guess(attempts, known('last')))
  for (let i = 0; i < 5_100; i++) await guess(attempts, known(`more ${i}`))
  expect(await stateOf(guess(attempts, known('first')))).toBeNull()
  expect(await stateOf(guess(attempts, known('last')))).toBe('held')
})
