/** Samples of CPU, memory and event loop of the process. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Sample } from './samples.ts'

const RESOLUTION_MS = 10

export interface ProcessSamples {
  list(): Sample[]
  close(): void
}

export function openProcessSamples(): ProcessSamples {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const startedAt = (Date.now() - performance.now()) / 1_000
  return {
    list: () => {
      const { user, system } = process.cpuUsage()
      const samples: Sample[] = [
        { name: 'process_cpu_seconds_total', labels: [], value: (user + system) / 1e6 },
        { name: 'process_resident_memory_bytes', labels: [], value: process.memoryUsage.rss() },
        { name: 'process_start_time_seconds', labels: [], value: startedAt },
        { name: 'nodejs_heap_used_bytes', labels: [], value: process.memoryUsage().heapUsed },
        ...toDelays(delay),
      ]
      delay.reset()
      return samples
    },
    close: () => void delay.disable(),
  }
}

/** Subtracts the period of the timer, because the monitor measures the time between ticks, and a punctual tick is not a delay. */
function toDelays(delay: ReturnType<typeof monitorEventLoopDelay>): Sample[] {
  if (delay.count === 0) return []
  const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000)
  const quantiles = [
    ['0.5', delay.percentile(50)],
    ['0.99', delay.percentile(99)],
    ['1', delay.max],
  ] as const
  return quantiles.map(([quantile, value]) => ({
    name: 'nodejs_eventloop_delay_seconds',
    labels: [['quantile', quantile]],
    value: toSeconds(value),
  }))
}
