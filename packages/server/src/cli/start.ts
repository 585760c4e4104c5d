import { setTimeout } from 'node:timers/promises'
import { type Config, readConfig } from '../config.ts'
import { prepareHome } from '../prepare-home.ts'
import { type RunningServer, serveHttp } from '../serve-http.ts'

interface StartOptions {
  host?: string
  port?: string
  accessLog?: boolean
}

/** Serves until a signal comes, then finishes what is running. */
export async function start(options: StartOptions): Promise<number> {
  const config = readConfig(undefined, options)
  for (const warning of config.warnings) process.stderr.write(`${warning}\n`)
  const home = await prepareHome(config)
  try {
    const failure = Promise.withResolvers<Error>()
    const stopWatching = watchForBugs(failure.resolve)
    // Before anybody knows that the server runs: a signal that comes early must not kill it half started.
    const signal = nextSignal()
    const server = await listen(config, home.secrets, failure.resolve)
    tell(server.url, config, home.firstOwner)
    const error = await Promise.race([signal, failure.promise])
    if (error) tellFailure(error)
    await (error ? Promise.race([server.close(), setTimeout(FAILED_CLOSE_MS)]) : server.close())
    stopWatching()
    // What does not end by itself after a failure must not keep the process.
    if (error) {
      home.release()
      process.exit(1)
    }
    return 0
  } finally {
    home.release()
  }
}

async function listen(
  config: Config,
  secrets: Parameters<typeof serveHttp>[1],
  onFailure: (error: Error) => void,
): Promise<RunningServer> {
  try {
    return await serveHttp(config, secrets, onFailure)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartError(`Port ${config.port} on ${config.host} is taken by another program. Choose another: --port <number>.`)
  }
}

export class StartError extends Error {}

/** How long a server that failed may take to end what can still be ended. */
const FAILED_CLOSE_MS = 10_000

/** One line for the operator; the stack is in the log. */
function tellFailure(error: Error): void {
  const message = error.message.replaceAll(/\s+/g, ' ').trim()
  process.stderr.write(`Postil stops: ${message || error.name}\n`)
}

/** Exceptions that nobody caught, in this thread: what they left behind is unknown, so the server stops. */
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

function nextSignal(): Promise<null> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(null))
  })
}

function tell(url: string, config: Config, owner: Awaited<ReturnType<typeof prepareHome>>['firstOwner']): void {
  const lines = [`Postil serves at ${url}`, `  data in ${config.homePath}`, `  API described at ${new URL('api/v1/docs', url)}`]
  if (owner) {
    lines.push('', 'A first owner was made. This is shown once; keep it:')
    lines.push(`  username  ${owner.username}`, `  password  ${owner.password}`, `  API key   ${owner.apiKey}`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
