/**
 * Processor time of a server under test, which does not depend on how busy the machine is. Limits of time in tests of bounded work
 * are limits of this; a wait for an answer only ends a test that hangs.
 */
import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/** Far longer than any work of a server under test takes on a busy machine. */
export const HANG_MS = 60_000

/** Processor time of all threads of a process so far. */
function processorMsOf({ pid }: { pid: number }): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in brackets, may contain spaces.
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * TICK_MS
}

/** Returns what the function returns, and the processor time of the server meanwhile. */
export async function measured<T>(server: { pid: number }, run: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const before = processorMsOf(server)
  const result = await run()
  return { result, ms: processorMsOf(server) - before }
}
