/** CPU time and memory of processes, from /proc (Linux only; elsewhere every figure is NaN). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Unit of the counters in /proc. */
const MS_PER_TICK = 10

const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** Returns the fields after the program name, which is in parentheses and may contain blanks. */
function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
}

/** Returns the CPU time of all threads, in user and system mode, since the start of the process. */
export function processCpuMs(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

/** Returns the process and all its descendants, such as the backends of PostgreSQL. */
function listFamily(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => ({ pid: Number(name), parent: Number(statOf(Number(name))[1]) }))
  const family = [pid]
  for (const member of family) family.push(...parents.filter(({ parent }) => parent === member).map(child => child.pid))
  return family
}

/** Returns the CPU time of a process and its descendants, including ended ones. */
export function processTreeCpuMs(pid: number): number {
  const ended = statOf(pid)
  const childrenMs = (Number(ended[13]) + Number(ended[14])) * MS_PER_TICK
  const running = listFamily(pid).map(processCpuMs)
  return childrenMs + running.filter(ms => !Number.isNaN(ms)).reduce((sum, ms) => sum + ms, 0)
}

/** Returns current and peak resident memory. */
export function memoryMb(pid: number): { now: number; most: number } {
  const status = read(`/proc/${pid}/status`)
  const mb = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { now: mb('VmRSS'), most: mb('VmHWM') }
}

/** Returns the steal time of all cores: the time that a virtual machine had to wait for its host. */
export function stealTimeMs(): number {
  const [, , , , , , , , stolen] = read('/proc/stat').split('\n', 1)[0]?.split(/ +/) ?? []
  return Number(stolen) * MS_PER_TICK
}
