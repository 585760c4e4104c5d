import { describe, expect, test } from 'vitest'
import { createDigits, DIGITS_WAIT_MS } from './digits.ts'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

function typing(numbers: number[], keepsFirst = true) {
  let now = 0
  let waiting: { run(): void; at: number } | null = null
  const taken: number[] = []
  const flushed: boolean[] = []
  const digits = createDigits({
    numbers: () => numbers,
    take: (number, isFlushed) => {
      taken.push(number)
      flushed.push(isFlushed)
    },
    keepsFirst,
    clock: {
      set(run, ms) {
        waiting = { run, at: now + ms }
        return waiting
      },
      clear(timer) {
        if (waiting === timer) waiting = null
      },
    },
  })
  const wait = (ms: number) => {
    now += ms
    const due = waiting
    if (due !== null && due.at <= now) {
      waiting = null
      due.run()
    }
  }
  return { digits, taken, flushed, wait }
}

/** Digits with pauses in ms between them: `1 100 2`. */
function typed(numbers: number[], script: string, keepsFirst = true) {
  const { digits, taken, wait } = typing(numbers, keepsFirst)
  for (const step of script.split(' ')) {
    if (step.length > 1) wait(Number(step))
    else digits.press(step)
  }
  return taken
}

describe('numbers on digit keys', () => {
  test.each([
    { numbers: range(1, 9), script: '3', taken: [3] },
    { numbers: range(1, 9), script: '0', taken: [] },
    { numbers: range(1, 12), script: '3', taken: [3] },
    { numbers: range(1, 12), script: '1', taken: [] },
    { numbers: range(1, 12), script: '1 299', taken: [] },
    { numbers: range(1, 12), script: '1 300', taken: [1] },
    { numbers: range(1, 12), script: '1 200 2', taken: [12] },
    { numbers: range(1, 12), script: '1 300 2', taken: [1, 2] },
    { numbers: range(1, 120), script: '1 200 1 200 300', taken: [11] },
    { numbers: range(1, 120), script: '1 1 9', taken: [119] },
    { numbers: range(0, 10), script: '1 0', taken: [10] },
    { numbers: range(0, 10), script: '0', taken: [0] },
    // Only 10 starts with 1, so there is no need to wait.
    { numbers: [0, 5, 10], script: '1', taken: [10] },
    // 17 does not exist, so these are two numbers.
    { numbers: range(1, 12), script: '1 7', taken: [1, 7] },
    { numbers: range(1, 12), script: '1 7', keepsFirst: false, taken: [7] },
    { numbers: range(1, 12), script: '1 0 1 1', taken: [10, 11] },
  ])('$script of $numbers.length numbers -> $taken', ({ numbers, script, taken, keepsFirst }) => {
    expect(typed(numbers, script, keepsFirst ?? true)).toEqual(taken)
  })

  test('another key makes what was typed count at once, and says so', () => {
    const { digits, taken, flushed, wait } = typing(range(1, 12))
    digits.press('1')
    expect(digits.isWaiting()).toBe(true)
    digits.flush()
    wait(DIGITS_WAIT_MS)
    expect(taken).toEqual([1])
    expect(flushed).toEqual([true])
  })

  test('what begins no number is left to others', () => {
    const { digits } = typing(range(1, 9))
    expect(digits.press('0')).toBe(false)
    expect(digits.press('4')).toBe(true)
  })

  test('a cancelled number never comes', () => {
    const { digits, taken, wait } = typing(range(1, 12))
    digits.press('1')
    digits.cancel()
    wait(1000)
    expect(taken).toEqual([])
  })
})
