import { threadCpuUsage } from 'node:process'

/**
 * How many milliseconds of processor time `work` takes on this thread. Tests that work stays bounded use it instead of elapsed time, which says
 * more about what else the machine is doing.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = threadCpuUsage()
  await work()
  const { user, system } = threadCpuUsage(before)
  return (user + system) / 1000
}
