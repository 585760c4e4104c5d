/** A process that runs until a signal comes, or until it cannot go on. */
import { setTimeout } from 'node:timers/promises'

interface Running {
  close(how?: { atOnce?: boolean }): Promise<void>
}

/** How long a process that failed may take to end what can still be ended. */
const FAILED_CLOSE_MS = 10_000

/** Answers the exit code after a signal; ends the process after a failure. `open` gets a function that tells of one. */
export async function runUntilStopped<R extends Running>(
  open: (onFailure: (error: Error) => void) => Promise<R>,
  onOpen: (running: R) => void,
): Promise<number> {
  const failure = Promise.withResolvers<Error>()
  const stopWatching = watchForBugs(failure.resolve)
  // Before anybody knows that the process runs: a signal that comes early must not kill it half started.
  const signal = nextSignal()
  const running = await open(failure.resolve)
  onOpen(running)
  const error = await Promise.race([signal, failure.promise])
  if (error) tellFailure(error)
  await (error ? Promise.race([running.close({ atOnce: true }), setTimeout(FAILED_CLOSE_MS)]) : running.close())
  stopWatching()
  // What does not end by itself after a failure must not keep the process. The lock of the database ends with it.
  if (error) process.exit(1)
  return 0
}

/** One line for the operator; the stack is in the log. */
function tellFailure(error: Error): void {
  const message = error.message.replaceAll(/\s+/g, ' ').trim()
  process.stderr.write(`Postil stops: ${message || error.name}\n`)
}

/** Exceptions that nobody caught, in this thread: what they left behind is unknown, so the process stops. */
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
