import { setTimeout } from 'node:timers/promises'
import { type Config, readConfig } from '../config.ts'
import { checkDescriptors } from '../lib/descriptors.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { type PrepareEvents, prepareHome } from '../prepare-home.ts'
import { type RunningServer, serveHttp } from '../serve-http.ts'
import { withStorageErrors } from './open-home.ts'

interface StartOptions {
  host?: string
  port?: string
  accessLog?: boolean
}

/** Serves until a signal comes, then finishes what is running. */
export async function start(options: StartOptions): Promise<number> {
  const config = readConfig(undefined, options)
  for (const warning of config.warnings) process.stderr.write(`${warning}\n`)
  return withStorageErrors(config, async () => {
    checkDescriptors()
    const home = await prepareHome(config, { tell: line => void process.stderr.write(`${line}\n`), tellOwner })
    try {
      return await serve(config, home.secrets)
    } finally {
      home.release()
    }
  })
}

async function serve(config: Config, secrets: Parameters<typeof serveHttp>[1]): Promise<number> {
  const failure = Promise.withResolvers<Error>()
  const stopWatching = watchForBugs(failure.resolve)
  // Before anybody knows that the server runs: a signal that comes early must not kill it half started.
  const signal = nextSignal()
  const server = await listen(config, secrets, failure.resolve)
  tellUrl(server.url, config)
  const error = await Promise.race([signal, failure.promise])
  if (error) tellFailure(error)
  await (error ? Promise.race([server.close({ atOnce: true }), setTimeout(FAILED_CLOSE_MS)]) : server.close())
  stopWatching()
  // What does not end by itself after a failure must not keep the process. The lock of the database ends with it.
  if (error) process.exit(1)
  return 0
}

async function listen(
  config: Config,
  secrets: Parameters<typeof serveHttp>[1],
  onFailure: (error: Error) => void,
): Promise<RunningServer> {
  try {
    return await serveHttp(config, secrets, onFailure)
  } catch (error) {
    throw explainListenFailure(error, config) ?? error
  }
}

/** Why the address cannot be listened on, in a sentence; null for any other failure. */
export function explainListenFailure(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): OperatorError | null {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new OperatorError(`\`${host}\` is not an address or name of this machine. Choose another: --host <address>.`)
  }
  if (syscall !== 'listen' && syscall !== 'bind') return null
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another program. Choose another: --port <number>.`,
    EACCES: `This user may not listen on port ${port}: ports below 1024 need more rights. Choose another: --port <number>.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Choose another: --host <address>; \`0.0.0.0\` listens on all.`,
  }
  const sentence = sentences[code ?? '']
  return sentence === undefined ? null : new OperatorError(sentence, { cause: error })
}

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

function tellUrl(url: string, config: Config): void {
  const lines = [`Postil serves at ${url}`, `  data in ${config.homePath}`, `  API described at ${new URL('api/v1/docs', url)}`]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** The operator knows what they gave, and output ends up in logs. */
const GIVEN = 'the one you gave'

const tellOwner: PrepareEvents['tellOwner'] = ({ username, password, apiKey }) => {
  const lines = ['A first owner was made. What the server made is shown once; keep it:']
  lines.push(`  username  ${username}`, `  password  ${password ?? GIVEN}`, `  API key   ${apiKey ?? GIVEN}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
