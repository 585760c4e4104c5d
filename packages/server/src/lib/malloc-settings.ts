/**
 * By default, glibc raises its thresholds with each large block that is freed, up to 32 MB, and keeps freed blocks below them in
 * each thread. A bulk write would leave tens of megabytes in every thread it passes through. With fixed thresholds larger blocks
 * return to the system immediately, but they can only be set before a process starts.
 */
const SETTINGS = { MALLOC_MMAP_THRESHOLD_: String(128 * 1024), MALLOC_TRIM_THRESHOLD_: String(256 * 1024) }

/** Restarts the process with these settings, under the same process id, unless the environment has MALLOC_ settings. */
export function restartWithMallocSettings(): void {
  const isChosen = Object.keys(process.env).some(name => name.startsWith('MALLOC_'))
  if (process.platform !== 'linux' || process.execve === undefined || isChosen) return
  const { execPath, execArgv, argv, env } = process
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...SETTINGS })
}
