import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const toPath = (home: string) => join(home, 'telemetry-id')

/** Returns the stored id for reports, or null if there is none. */
export function findUserId(home: string): string | null {
  try {
    const text = readFileSync(toPath(home), 'utf8').trim()
    return UUID.test(text) ? text : null
  } catch {
    return null
  }
}

/**
 * Returns the id for reports: a random UUID, generated when the first report is due. It only shows that reports come from the
 * same server. If it cannot be stored, this process uses an id of its own.
 */
export function loadUserId(home: string): string {
  const known = findUserId(home)
  if (known !== null) return known
  const id = randomUUID()
  const unfinished = join(home, `telemetry-id.${process.pid}.new`)
  try {
    writeFileSync(unfinished, `${id}\n`, { mode: 0o600 })
    // Replaces a file without a valid id, but not a file that another process has written in the meantime.
    if (findUserId(home) === null) rmSync(toPath(home), { force: true })
    linkSync(unfinished, toPath(home))
    return id
  } catch {
    return findUserId(home) ?? id
  } finally {
    rmSync(unfinished, { force: true })
  }
}
