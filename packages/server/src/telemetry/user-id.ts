import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const toPath = (home: string) => join(home, 'telemetry-id')

/** The id that reports carry, if one was made. */
export function findUserId(home: string): string | null {
  try {
    const text = readFileSync(toPath(home), 'utf8').trim()
    return UUID.test(text) ? text : null
  } catch {
    return null
  }
}

/**
 * The id that reports carry: random, made when the first report is due. It says only that reports come from the same server. If it cannot be
 * stored, this process has one of its own.
 */
export function openUserId(home: string): string {
  const known = findUserId(home)
  if (known !== null) return known
  const id = randomUUID()
  const unfinished = join(home, `telemetry-id.${process.pid}.new`)
  try {
    writeFileSync(unfinished, `${id}\n`, { mode: 0o600 })
    // A file that does not hold an id is replaced; one that another process has made meanwhile is not.
    if (findUserId(home) === null) rmSync(toPath(home), { force: true })
    linkSync(unfinished, toPath(home))
    return id
  } catch {
    return findUserId(home) ?? id
  } finally {
    rmSync(unfinished, { force: true })
  }
}
