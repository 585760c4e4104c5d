/** Memory usage of the process, with the names and units that existing clients expect. */
import { readFile } from 'node:fs/promises'

/** Fields of `/proc/self/status` in KiB: each name is the sum of these lines. */
const LINUX_SIZES = {
  rss: ['VmRSS'],
  vms: ['VmSize'],
  shared: ['RssFile', 'RssShmem'],
  text: ['VmExe'],
  lib: ['VmLib'],
  data: ['VmData'],
}

/** Systems other than Linux only report the resident size. */
export async function readMemory(): Promise<Record<string, string>> {
  const status = await readLinuxStatus()
  if (status === null) return { rss: toSize(process.memoryUsage.rss()) }
  const linesOf = (names: string[]) =>
    names.map(name => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0))
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  return Object.fromEntries(Object.entries(LINUX_SIZES).map(([word, names]) => [word, toSize(sum(linesOf(names)) * 1024)]))
}

async function readLinuxStatus(): Promise<string | null> {
  if (process.platform !== 'linux') return null
  return readFile('/proc/self/status', 'utf8')
}

const UNITS = ['B', 'K', 'M', 'G', 'T', 'P']

/** Formats a size such as `269M`: rounded down, base 1024. */
export function toSize(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024
    unit++
  }
  return `${Math.floor(size)}${UNITS[unit]}`
}
