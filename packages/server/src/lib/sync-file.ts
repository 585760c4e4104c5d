import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

/** Waits until a file, or the entries of a folder, are on disk (fsync). */
export function syncFile(path: string): void {
  // Folders cannot be opened on Windows, where renames are written through.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
