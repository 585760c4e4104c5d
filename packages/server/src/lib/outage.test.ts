import { describe, expect, test } from 'vitest'
import { createOutage } from './outage.ts'

describe('an outage', () => {
  const open = () => {
    let ms = 0
    const outage = createOutage(() => ms)
    return {
      outage,
      wait: (more: number) => {
        ms += more
      },
    }
  }

  test('is logged when it begins, once a minute while it lasts, and when it is over', () => {
    const { outage, wait } = open()
    const logged: number[] = []
    for (let second = 0; second < 150; second++) {
      if (outage.fail()) logged.push(second)
      wait(1_000)
    }
    expect(logged).toEqual([0, 60, 120])
    expect(outage.failures).toBe(150)
    expect(outage.end()).toBe(true)
    expect(outage.failures).toBe(0)
  })

  test('has no end if there was none', () => {
    expect(open().outage.end()).toBe(false)
  })

  test('that begins some time after another one is logged at once', () => {
    const { outage, wait } = open()
    expect([outage.fail(), outage.end()]).toEqual([true, true])
    wait(9_000)
    expect([outage.fail(), outage.end()]).toEqual([false, false])
    wait(1_000)
    expect([outage.fail(), outage.end()]).toEqual([true, true])
  })

  test('that comes and goes is logged every ten seconds', () => {
    const { outage, wait } = open()
    let lines = 0
    for (let second = 0; second < 120; second++) {
      if (outage.fail()) lines++
      if (outage.end()) lines++
      wait(1_000)
    }
    expect(lines).toBe(24)
  })
})
