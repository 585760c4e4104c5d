/** The database file: resolves its path, checks it, restricts its permissions, and creates a new one. */
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import { syncFile } from '../lib/sync-file.ts'

const LINKS_MAX = 40

/** Resolves symbolic links, for a file that may not exist yet. Its folder must exist. */
export function toRealFile(path: string): string {
  let file = resolve(path)
  for (let links = 0; lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === LINKS_MAX) throw new OperatorError(`${path} is a symbolic link that leads to itself.`)
    file = resolve(dirname(file), readlinkSync(file))
  }
  return join(realpathSync(dirname(file)), basename(file))
}

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100

/**
 * Checks a database file before it is opened. `hasKeys` is true if the home folder contains the keys of a server, so that there
 * must have been a database before. Throws an OperatorError for a file that SQLite would silently replace or find damaged only
 * later.
 */
export function checkDatabaseFile(file: string, { hasKeys }: { hasKeys: boolean }): 'absent' | 'present' {
  const found = statSync(file, { throwIfNoEntry: false })
  const walBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (!found) {
    if (walBytes === 0) return 'absent'
    throw new OperatorError(
      `The database ${file} is missing, but its log ${file}-wal is there. Put the database back beside it; or, to start anew, remove the log.`,
    )
  }
  if (!found.isFile()) throw new OperatorError(`${file} is not a file. Point SERVICE_DATABASE_URL to the file of a database.`)
  checkNames(file, found.nlink)
  if (found.size === 0 && !hasKeys && walBytes === 0) return 'absent'
  if (found.size === 0) {
    throw new OperatorError(
      `The database ${file} is empty (0 bytes), but there are keys or a log of an earlier one. ` +
        `Restore the database from a backup; or, to start anew without users and datasets, remove ${file} and ${file}-wal.`,
    )
  }
  const expected = toExpectedBytes(file)
  // If there is a write-ahead log, it may contain the missing pages.
  if (expected > found.size && walBytes === 0) {
    throw new OperatorError(
      `The database ${file} is cut off: it has ${found.size} bytes and should have ${expected}. ` +
        'Keep a copy of the file, and restore a backup (`postil server backup` makes them).',
    )
  }
  return 'present'
}

/**
 * Refuses a file that can be reached under a second name. Its log (`-wal`) and its lock are found by name, so a server that uses
 * the other name sees neither: it would miss answers and overwrite others.
 */
function checkNames(file: string, names: number): void {
  if (names > 1) {
    throw new OperatorError(
      `${file} has ${names} names (hard links), and the log of a database belongs to one name. ` +
        'Start the server with the name under which it ran, after removing the others; to use a copy, make it with `postil server backup`.',
    )
  }
  if (mountPoints().includes(file)) {
    throw new OperatorError(
      `${file} is mounted as a single file, without its log ${file}-wal. Mount the folder that contains it, and point SERVICE_HOME_PATH or SERVICE_DATABASE_URL there.`,
    )
  }
}

const MOUNTS = '/proc/self/mountinfo'

/** Paths where something is mounted. Only Linux has this list. */
const mountPoints = () => (existsSync(MOUNTS) ? readMountPoints(readFileSync(MOUNTS, 'utf8')) : [])

export const readMountPoints = (list: string): string[] =>
  list.split('\n').map(line => {
    const [, , , , path = ''] = line.split(' ')
    // White space and backslashes are written as octal numbers of bytes.
    return path.replace(/\\(\d{3})/g, (_, byte) => String.fromCharCode(Number.parseInt(byte, 8)))
  })

/**
 * Returns a function that throws if a file of an open database was moved, deleted or replaced. What is stored then would be lost
 * with the next start; or, if it is the lock, a second server may have started.
 */
export function watchFiles(path: string): () => void {
  const file = toRealFile(path)
  const known = new Map<string, string>()
  const check = () => {
    for (const part of ['', '-wal', '-shm', '.lock'].map(suffix => file + suffix)) {
      const found = statSync(part, { throwIfNoEntry: false, bigint: true })
      const id = found && `${found.dev} ${found.ino}`
      const before = known.get(part)
      if (before === undefined && id !== undefined) known.set(part, id)
      if (before !== undefined && id !== before) {
        const message = `${part} was moved, replaced or deleted while the server used it. Put back what was moved, and start the server again.`
        throw Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED', path: part })
      }
    }
  }
  check()
  return check
}

/** Returns the size of the file according to its header; 0 if the header does not contain it. */
function toExpectedBytes(file: string): number {
  const header = Buffer.alloc(HEADER_BYTES)
  const fd = openSync(file, 'r')
  try {
    readSync(fd, header, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(fd)
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new OperatorError(
      `${file} is not an SQLite database. Nothing in it was touched. ` +
        'Point SERVICE_DATABASE_URL or SERVICE_HOME_PATH to another place, or restore a backup.',
    )
  }
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  // The page count is valid only if it was written together with the last change.
  return header.readUInt32BE(24) === header.readUInt32BE(92) ? pageBytes * header.readUInt32BE(28) : 0
}

/**
 * Makes the files of the database readable only by this user. `tell` receives a line for each file that belongs to another user.
 */
export function restrictFiles(file: string, tell: (line: string) => void): void {
  for (const path of ['', '-wal', '-shm', '-journal', '.lock', '.last-commit'].map(suffix => file + suffix)) {
    try {
      if (existsSync(path)) chmodSync(path, 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
      tell(`${path} belongs to another user: its permissions are left as they are, and others may be able to read it.`)
    }
  }
}

/**
 * Creates a new database: `build` fills it under a temporary name, and then it is renamed. An incomplete database therefore never
 * exists under the final name, even if the process is killed.
 */
export async function createDatabaseFile<T>(file: string, build: (path: string) => Promise<T>): Promise<T> {
  const path = `${file}.new`
  const parts = ['', '-wal', '-shm', '-journal'].map(suffix => path + suffix)
  for (const part of parts) rmSync(part, { force: true })
  const built = await build(path)
  if (existsSync(`${path}-wal`)) throw new Error(`${path} was not closed: its log is still there`)
  syncFile(path)
  renameSync(path, file)
  syncFile(dirname(file))
  return built
}
