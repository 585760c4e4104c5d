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
    // Before anybody knows that the server runs: a signal that comes early must not kill it half started.
    const signal = nextSignal()
    const server = await listen(config, home.secrets, failure.resolve)
    tell(server.url, config, home.firstOwner)
    const error = await Promise.race([signal, failure.promise])
    await server.close()
    if (error) throw error
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

function nextSignal(): Promise<null> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(null))
  })
}

/** What the operator chose they know; output ends up in logs. */
const GIVEN = 'the one you gave'

function tell(url: string, config: Config, owner: Awaited<ReturnType<typeof prepareHome>>['firstOwner']): void {
  const lines = [`Postil serves at ${url}`, `  data in ${config.homePath}`, `  API described at ${new URL('api/v1/docs', url)}`]
  if (owner) {
    lines.push('', 'A first owner was made. What the server made is shown once; keep it:')
    lines.push(`  username  ${owner.username}`, `  password  ${owner.password ?? GIVEN}`)
    lines.push(`  API key   ${owner.apiKey ?? GIVEN}`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
