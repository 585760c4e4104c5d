import { pino } from 'pino'
import { expect, test } from 'vitest'
import { supervise } from './supervise.ts'

interface Line {
  msg: string
  failures?: number
  retry_in_ms?: number
}

/** Returns work that does what `next` says, a clock that the test advances, and the log lines. */
function open(isOutage?: () => boolean) {
  const state = { now: 0, runs: 0, fails: false }
  const lines: Line[] = []
  const log = pino({ level: 'info' }, { write: text => void lines.push(JSON.parse(text)) })
  const work = async () => {
    state.runs++
    if (state.fails) throw new Error('no space left')
    return state.runs
  }
  return {
    state,
    lines,
    supervised: supervise(work, { name: 'tests', log, now: () => state.now, ...(isOutage && { isOutage }) }),
  }
}

test('work that succeeds is run at every step, and nothing is logged', async () => {
  const { supervised, lines } = open()
  expect([await supervised.step(), await supervised.step()]).toEqual([1, 2])
  expect([lines, supervised.waitMs()]).toEqual([[], 0])
})

test('work that fails is tried again after pauses of 1 s to 60 s, each logged with the count of failures', async () => {
  const { supervised, state, lines } = open()
  state.fails = true
  for (let i = 0; i < 8; i++) {
    expect(await supervised.step()).toBeNull()
    state.now += supervised.waitMs() - 1
    expect(await supervised.step()).toBeNull()
    expect(state.runs).toBe(i + 1)
    state.now += 1
  }
  const expected = [1, 2, 4, 8, 16, 32, 60, 60].map((seconds, i) => ({ failures: i + 1, retry_in_ms: seconds * 1000 }))
  expect(lines).toMatchObject(expected.map(line => ({ ...line, task: 'tests', msg: 'background task failed' })))
})

test('an outage of something that the work needs is logged once a minute, without a stack, and once when it is over', async () => {
  const { supervised, state, lines } = open(() => true)
  state.fails = true
  for (let i = 0; i < 8; i++) {
    await supervised.step()
    state.now += supervised.waitMs()
  }
  state.fails = false
  await supervised.step()
  const failed = { reason: 'no space left', msg: 'background task failed' }
  expect(lines).toMatchObject(
    [1, 7, 8].map(failures => ({ failures, ...failed })).concat([{ msg: 'background task works again' }] as never),
  )
  expect(JSON.stringify(lines)).not.toContain('stack')
})

test('a success makes the next pause short again, and is logged once', async () => {
  const { supervised, state, lines } = open()
  const failTwice = async () => {
    state.fails = true
    for (let i = 0; i < 2; i++) {
      await supervised.step()
      state.now += supervised.waitMs()
    }
    state.fails = false
  }
  await failTwice()
  expect(await supervised.step()).toBe(3)
  expect(await supervised.step()).toBe(4)
  await failTwice()
  expect(lines.map(({ retry_in_ms, msg }) => retry_in_ms ?? msg)).toEqual([1000, 2000, 'background task works again', 1000, 2000])
})
