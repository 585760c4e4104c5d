import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLane, type Lane } from './lane.ts'
import { openLogGuard } from './log-guard.ts'

const MINUTE_MS = 60_000

let folder: string
let logFile: string
/** Time limits for which reads were held back, one per attempt. */
let holds: number[]
let checkpoints: number
beforeEach(() => {
  vi.useFakeTimers()
  folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
  logFile = join(folder, 'log')
  holds = []
  checkpoints = 0
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

/** Opens a lane on which every read takes `readMs` and another read is always waiting. */
function openBusyLane(readMs: () => number): Lane {
  const lane = createLane({ inFlight: 1 })
  const read = () => void lane.run({ person: 'a' }, () => new Promise(resolve => setTimeout(resolve, readMs()))).then(read)
  read()
  read()
  const hold = (withinMs: number) => {
    holds.push(withinMs)
    return lane.hold(withinMs)
  }
  return { run: lane.run, release: lane.release, hold, load: 0, inFlight: 0 }
}

/** Opens a guard whose checkpoint empties the log. */
function openGuard(lanes: readonly Lane[]) {
  const checkpoint = async () => {
    checkpoints++
    writeFileSync(logFile, '')
    return true
  }
  return openLogGuard({ logFile, bytesMax: 10, lanes, checkpoint, log: pino({ level: 'silent' }) })
}

test('a small log is left alone', async () => {
  writeFileSync(logFile, 'x'.repeat(10))
  const guard = openGuard([openBusyLane(() => 100)])
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  guard.stop()
  expect([holds, checkpoints]).toEqual([[], 0])
})

test.each([
  { readMs: 100, holds: [2_000] },
  { readMs: 3_000, holds: [2_000, 4_000] },
  // The time limit of a read.
  { readMs: 10_000, holds: [2_000, 4_000] },
])('a large log is emptied although reads of $readMs ms never stop', async ({ readMs, holds: expected }) => {
  writeFileSync(logFile, 'x'.repeat(11))
  const guard = openGuard([openBusyLane(() => readMs)])
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  guard.stop()
  expect([checkpoints, holds]).toEqual([1, expected])
})

test('reads are held longer each time in vain, and briefly again once the log was emptied', async () => {
  writeFileSync(logFile, 'x'.repeat(11))
  let readMs = 2 * MINUTE_MS
  const guard = openGuard([openBusyLane(() => readMs)])
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  expect([checkpoints, holds]).toEqual([0, [2_000, 4_000, 8_000, 16_000, 16_000]])
  readMs = 100
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS)
  expect(checkpoints).toBe(1)
  writeFileSync(logFile, 'x'.repeat(11))
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  guard.stop()
  expect([checkpoints, holds.at(-1)]).toEqual([2, 2_000])
})
