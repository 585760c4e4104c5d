import { threadCpuUsage } from 'node:process'

/**
 * Returns the CPU time of `work` on this thread in milliseconds. Tests of time limits use it instead of elapsed time, which
 * depends on the load of the machine.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = threadCpuUsage()
  await work()
  const { user, system } = threadCpuUsage(before)
  return (user + system) / 1000
}
