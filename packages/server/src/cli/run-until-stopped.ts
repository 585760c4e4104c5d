/** Runs a process until a signal or a fatal failure. */
import { setTimeout } from 'node:timers/promises'

interface Closable {
  close(how?: { atOnce?: boolean }): Promise<void>
}

/** How long a failed process may take to shut down. */
const FAILED_CLOSE_MS = 10_000

/** Returns the exit code after a signal; ends the process after a failure, which `open` reports with the function it gets. */
export async function runUntilStopped<R extends Closable>(
  open: (onFailure: (error: Error) => void) => Promise<R>,
  onOpen: (running: R) => void,
): Promise<number> {
  const failure = Promise.withResolvers<Error>()
  const stopWatching = watchForBugs(failure.resolve)
  // Registered before the start, because an early signal must not kill a half-started process.
  const signal = nextSignal()
  const running = await open(failure.resolve)
  onOpen(running)
  const error = await Promise.race([signal, failure.promise])
  if (error) printFailure(error)
  await (error ? Promise.race([running.close({ atOnce: true }), setTimeout(FAILED_CLOSE_MS)]) : running.close())
  stopWatching()
  // After a failure, parts that do not end must not keep the process alive. The database lock ends with it.
  if (error) process.exit(1)
  return 0
}

/** Prints one line for the operator; the stack trace is in the log. */
function printFailure(error: Error): void {
  const message = error.message.replaceAll(/\s+/g, ' ').trim()
  process.stderr.write(`Postil stops: ${message || error.name}\n`)
}

/** Reports uncaught exceptions in this thread. The process stops, because its state is unknown afterwards. */
function watchForBugs(onFailure: (error: Error) => void): () => void {
  const fail = (thrown: unknown) => onFailure(toFailure(thrown))
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  return () => {
    process.off('uncaughtException', fail)
    process.off('unhandledRejection', fail)
  }
}

function toFailure(thrown: unknown): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  return new Error(`An error was not handled in the main thread: ${error.name}: ${error.message}`, { cause: error })
}

export function nextSignal(): Promise<null> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(null))
  })
}
