/** Notes the time of each test file for the report of `npm test`. Vitest runs this module before each file. */
import { appendFileSync, globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TICKS_PER_SECOND = 100

/** Processor seconds of this process and of all that descend from it, also of those that have ended. */
function readProcessorSeconds(): number {
  const all = globSync('/proc/[0-9]*/stat').flatMap(path => {
    const stat = readStat(path)
    return stat === null ? [] : [stat]
  })
  const children = Map.groupBy(all, ({ parent }) => parent)
  const sumOf = (pid: number): number => (children.get(pid) ?? []).reduce((sum, child) => sum + child.ticks + sumOf(child.pid), 0)
  const own = all.find(({ pid }) => pid === process.pid)
  return ((own?.ticks ?? 0) + sumOf(process.pid)) / TICKS_PER_SECOND
}

function readStat(path: string) {
  try {
    const text = readFileSync(path, 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, count) => sum + count, 0)
    return { pid: Number.parseInt(text, 10), parent: fields[1] ?? 0, ticks }
  } catch {
    // The process has ended since the folder was listed.
    return null
  }
}

const times = process.env.POSTIL_TEST_FILE_TIMES
if (times !== undefined && process.platform === 'linux') {
  let begin = { at: 0, processor: 0 }
  beforeAll(() => {
    begin = { at: performance.now(), processor: readProcessorSeconds() }
  })
  afterAll(() => {
    const file = relative(ROOT, expect.getState().testPath ?? '')
    const processorSeconds = readProcessorSeconds() - begin.processor
    appendFileSync(times, `${JSON.stringify({ file, seconds: (performance.now() - begin.at) / 1000, processorSeconds })}\n`)
  })
}
