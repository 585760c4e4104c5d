/**
 * Preloaded into a server under test (`--import`). When the file REPORT_MEMORY_FILE is empty, writes into it how many bytes the
 * server holds after the garbage is collected: what is not collected yet depends on how busy the machine is.
 */
import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 50

export interface MemoryReport {
  /** Of the process. */
  resident: number
  /** Of the main thread, which receives bodies. */
  buffers: number
}

function report(file: string): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const write = () => {
    if (!existsSync(file) || statSync(file).size > 0) return
    collect()
    const { rss, arrayBuffers } = process.memoryUsage()
    writeFileSync(`${file}.new`, JSON.stringify({ resident: rss, buffers: arrayBuffers } satisfies MemoryReport))
    renameSync(`${file}.new`, file)
  }
  setInterval(write, EVERY_MS).unref()
}

const file = process.env.REPORT_MEMORY_FILE
if (isMainThread && file) report(file)
