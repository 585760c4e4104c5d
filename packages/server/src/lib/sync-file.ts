import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

/** Waits until a file or the entries of a folder are on disk. */
export function syncFile(path: string): void {
  // Folders cannot be opened on Windows, where a rename is written through by itself.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
