/**
 * Failures of the disk and of the database, by error codes of SQLite, PostgreSQL and Node: messages for callers and for
 * operators, and when to retry. Used by the command line and by http/errors.ts.
 *
 * Errors are recognised by their `code`, not by their class, because errors from worker threads arrive as copies.
 */
import type { ErrorCode } from '@postil/domain/errors'
import { POSTGRES_FAILURES } from './postgres-failures.ts'

export interface StorageFailure {
  /** Groups log lines: failures of one kind are logged only once in a while. */
  kind: string
  code: Extract<ErrorCode, 'storage_full' | 'unavailable'>
  retryAfterSeconds: number
  /** Contains no paths, because callers are not operators. */
  forCallers: string
  /** Sentence that starts with the path or the name of the database. */
  forOperators(path: string): string
}

const AGAIN = 'Try again later; if this lasts, tell the operator.'

export interface FailureOfCodes extends StorageFailure {
  codes: RegExp
}

const FAILURES: readonly FailureOfCodes[] = [
  ...POSTGRES_FAILURES,
  {
    kind: 'full',
    codes: /^(SQLITE_FULL|ENOSPC|EDQUOT)$/,
    code: 'storage_full',
    retryAfterSeconds: 30,
    forCallers: 'The server has no disk space left: nothing can be stored. Tell the operator.',
    forOperators: path =>
      `${path} cannot grow: no space is left on its disk. Free some; a running server then goes on by itself.`,
  },
  {
    kind: 'locked',
    codes: /^(SQLITE_BUSY(_\w+)?|SQLITE_LOCKED(_\w+)?|SQLITE_PROTOCOL)$/,
    code: 'unavailable',
    retryAfterSeconds: 2,
    forCallers: `The database is locked. ${AGAIN}`,
    forOperators: path => `${path} is locked by another program. Stop that program, or wait until it is done.`,
  },
  {
    kind: 'moved',
    codes: /^SQLITE_READONLY_DBMOVED$/,
    code: 'unavailable',
    retryAfterSeconds: 30,
    forCallers: `The database cannot be written to. ${AGAIN}`,
    forOperators: path =>
      `${path} was moved, replaced or deleted while the server used it. Put back what was moved, and start the server again.`,
  },
  {
    kind: 'readonly',
    codes: /^(SQLITE_READONLY(_\w+)?|SQLITE_PERM|EROFS|EACCES|EPERM)$/,
    code: 'unavailable',
    retryAfterSeconds: 30,
    forCallers: `The server cannot write to its data folder. ${AGAIN}`,
    forOperators: path =>
      `${path} cannot be written. Make it and its folder writable for the user that runs the server, or choose another folder with SERVICE_HOME_PATH.`,
  },
  {
    kind: 'damaged',
    codes: /^(SQLITE_CORRUPT(_\w+)?|SQLITE_NOTADB|SQLITE_IOERR_SHORT_READ)$/,
    code: 'unavailable',
    retryAfterSeconds: 60,
    forCallers: 'The database is damaged. Tell the operator.',
    forOperators: path =>
      `${path} is damaged, or is not an SQLite database. Stop the server, keep a copy of the file, and restore a backup (\`postil server backup\` makes them).`,
  },
  {
    kind: 'descriptors',
    codes: /^(EMFILE|ENFILE)$/,
    code: 'unavailable',
    retryAfterSeconds: 5,
    forCallers: `The server has too many files and connections open. ${AGAIN}`,
    forOperators: () => 'Too many files and connections are open. Raise the limit (`ulimit -n`, or LimitNOFILE of a service).',
  },
  {
    kind: 'files',
    codes: /^FILES_BLOCKED$/,
    code: 'unavailable',
    retryAfterSeconds: 30,
    forCallers: `The server cannot use its folder of files. ${AGAIN}`,
    forOperators: path =>
      `${path} cannot be used. Check that it is a folder, not a file or a link to nowhere, and that the user who runs the server may write to it.`,
  },
  {
    kind: 'cannot-open',
    codes: /^(SQLITE_CANTOPEN(_\w+)?|ENOENT|EEXIST|ENOTDIR|EISDIR|ELOOP|ENAMETOOLONG)$/,
    code: 'unavailable',
    retryAfterSeconds: 5,
    forCallers: `The database cannot be opened. ${AGAIN}`,
    forOperators: path =>
      `${path} cannot be opened or made. Check that no file is in the place of a folder, that the user who runs the server may read and write it and its folder, and that not too many files are open.`,
  },
  {
    kind: 'disk',
    // SQLite calls a read that failed with EIO `CORRUPTFS`; the file may be intact.
    codes: /^(SQLITE_IOERR(_\w+)?|EIO|EFBIG)$/,
    code: 'unavailable',
    retryAfterSeconds: 10,
    forCallers: `The disk of the server does not work as it should. ${AGAIN}`,
    forOperators: path =>
      `${path} could not be read or written: the disk or its file system failed. Check the system log, the disk, and that no limit on the size of files (\`ulimit -f\`) is in force. Then \`postil server doctor\` says whether the database is whole; a backup is needed only if it is not.`,
  },
]

/** Codes that are storage failures only while files are prepared. In a request they are bugs in our code. */
const AT_START_ONLY = /^(ENOENT|EEXIST|ENOTDIR|EISDIR|ELOOP|ENAMETOOLONG|EPERM)$/

/**
 * Returns the failure of a file in the folder `path` as one that names the folder: some errors have no path, and would be taken for
 * failures of the database.
 */
export function toFolderFailure(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (AT_START_ONLY.test(code)) {
    return Object.assign(new Error((error as Error).message, { cause: error }), { code: 'FILES_BLOCKED', path })
  }
  return findFailure(error) ? Object.assign(error as Error, { path }) : error
}

const codeOf = (error: unknown): string => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : ''
}

/** Returns the kind of storage failure, or null if the error is not one. */
export function findStorageFailure(error: unknown): StorageFailure | null {
  return AT_START_ONLY.test(codeOf(error)) ? null : findFailure(error)
}

export const isOutage = (error: unknown): boolean => findStorageFailure(error) !== null

const findFailure = (error: unknown) => FAILURES.find(({ codes }) => codes.test(codeOf(error))) ?? null

/** Explains an error while files are opened and prepared: one sentence for the operator, or null. */
export function explainStorageFailure(thrown: unknown, place: string): string | null {
  // The error of a thread that could not open the database is the cause of the thrown error.
  const error = findFailure(thrown) === null && thrown instanceof Error ? thrown.cause : thrown
  const failure = findFailure(error)
  if (!failure) return null
  const path = (error as NodeJS.ErrnoException).path ?? place
  return `${failure.forOperators(path)} (${codeOf(error)})`
}
