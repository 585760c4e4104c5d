const WIDTH = 30

/**
 * Shows a progress bar that overwrites its line. Only on a terminal, so that logs contain the result alone. `end` completes the
 * line.
 */
export function createProgress(label: string, total: number): { show(done: number): void; end(): void } {
  const stream = process.stderr
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  const show = (done: number) => {
    const part = total === 0 ? 1 : Math.min(1, done / total)
    const filled = Math.round(part * WIDTH)
    stream.write(`\r${label} [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done} of ${total}`)
  }
  return { show, end: () => void stream.write('\n') }
}
