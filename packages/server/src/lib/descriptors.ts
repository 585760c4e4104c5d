import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { OperatorError } from './operator-error.ts'

/** Enough for the files of all threads, the modules they load, and some connections. */
const DESCRIPTORS_MIN = 128

/** Refuses to start with too few file descriptors, because running out of them later causes errors in unexpected places. */
export function checkDescriptors(): void {
  const opened: number[] = []
  try {
    while (opened.length < DESCRIPTORS_MIN) opened.push(openSync(devNull, 'r'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EMFILE' && code !== 'ENFILE') throw error
    throw new OperatorError(
      `This process may open only ${opened.length} more files; at least ${DESCRIPTORS_MIN} are needed, and one for each connection. ` +
        'Raise the limit (`ulimit -n 4096`, or LimitNOFILE of a service).',
    )
  } finally {
    for (const fd of opened) closeSync(fd)
  }
}
