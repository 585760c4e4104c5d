import { DomainError, TooManyAttempts } from '@postil/domain/errors'
import { describe, expect, test } from 'vitest'
import { createLane, type LaneLimits } from './lane.ts'

/** Opens a lane whose calls stay in flight until `end` is called. */
function openCalls(limits: LaneLimits) {
  const lane = createLane(limits)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, isGone?: () => boolean) =>
    lane.run({ person: name.charAt(0), isGone }, () => {
      started.push(name)
      return new Promise<string>(resolve => ends.set(name, () => resolve(name)))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { lane, started, run, end }
}

test('a few are in flight, and persons take turns', async () => {
  const { lane, started, run, end } = openCalls({ inFlight: 2 })
  const answers = Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(name => run(name)))
  expect([started, lane.load]).toEqual([['a1', 'a2'], 6])
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) await end(name)
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4'])
  expect(await answers).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'])
  expect(lane.load).toBe(0)
})

test('a call that failed makes room for the next', async () => {
  const lane = createLane({ inFlight: 1 })
  const failed = lane.run({ person: 'a' }, () => Promise.reject(new Error('broken')))
  const next = lane.run({ person: 'b' }, async () => 'fine')
  await expect(failed).rejects.toThrow('broken')
  expect(await next).toBe('fine')
})

test('what nobody waits for any more is dropped when its turn comes', async () => {
  const { lane, started, run, end } = openCalls({ inFlight: 1 })
  let isGone = false
  void run('a1')
  const dropped = run('b1', () => isGone)
  void run('c1')
  isGone = true
  await Promise.all([expect(dropped).rejects.toThrow(DomainError), end('a1')])
  expect([started, lane.load]).toEqual([['a1', 'c1'], 1])
})

describe('limits', () => {
  test('of one person: 429, while others are served', async () => {
    const { run, end } = openCalls({ inFlight: 1, ofPerson: 2 })
    void run('a1')
    void run('a2')
    expect(() => run('a3')).toThrow(TooManyAttempts)
    void run('b1')
    await end('a1')
    void run('a3')
    expect(() => run('a4')).toThrow(TooManyAttempts)
  })

  test('of one person: what they gave up does not count', async () => {
    const { lane, run } = openCalls({ inFlight: 1, ofPerson: 3 })
    let isGone = false
    void run('a1')
    const gone = Promise.allSettled([run('a2', () => isGone), run('a3', () => isGone)])
    expect(() => run('a4')).toThrow(TooManyAttempts)
    isGone = true
    void run('a4')
    expect((await gone).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(lane.load).toBe(2)
  })

  test('of all: 503', () => {
    const { run } = openCalls({ inFlight: 1, waiting: 2 })
    for (const name of ['a1', 'b1', 'c1']) void run(name)
    expect(() => run('d1')).toThrow('Too many requests')
  })
})

describe('while it is held', () => {
  test('nothing starts, what is in flight ends first, and then all goes on', async () => {
    const { lane, started, run, end } = openCalls({ inFlight: 2 })
    void run('a1')
    const held = lane.hold(60_000)
    void run('b1')
    await end('a1')
    expect([await held, started]).toEqual([true, ['a1']])
    lane.release()
    expect(started).toEqual(['a1', 'b1'])
    expect(await lane.hold(1)).toBe(false)
    lane.release()
  })

  test('an idle lane is held at once', async () => {
    expect(await createLane({ inFlight: 1 }).hold(0)).toBe(true)
  })
})
