/**
 * With glibc, each thread keeps freed blocks for later: after every large block that is freed, larger ones are kept, up to 32 MB each.
 * A bulk write leaves tens of megabytes in every thread that it passed. Blocks above a fixed size go back to the system at once,
 * but that can only be set before a process starts.
 */
const SETTINGS = { MALLOC_MMAP_THRESHOLD_: String(128 * 1024), MALLOC_TRIM_THRESHOLD_: String(256 * 1024) }

/** Begins the process anew with these settings, under the same process id, unless somebody has chosen others. */
export function giveMemoryBack(): void {
  const isChosen = Object.keys(process.env).some(name => name.startsWith('MALLOC_'))
  if (process.platform !== 'linux' || process.execve === undefined || isChosen) return
  const { execPath, execArgv, argv, env } = process
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...SETTINGS })
}
