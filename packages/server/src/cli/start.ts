import cluster from 'node:cluster'
import { type Config, readConfig } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { Secrets } from '../lib/secrets.ts'
import { runProcesses, sayReady } from '../processes/supervisor.ts'
import { type RunningServer, serveHttp } from '../serve-http.ts'
import { requireShared, withPreparedHome } from './prepared-home.ts'
import { runUntilStopped } from './run-until-stopped.ts'

interface StartOptions {
  host?: string
  port?: string
  accessLog?: boolean
  backgroundWork?: boolean
  /** Processes that serve. */
  workers?: number
}

/** Serves until a signal comes, then finishes what is running. */
export async function start({ workers = 1, ...options }: StartOptions): Promise<number> {
  const config = readConfig(undefined, options)
  if (workers > 1) requireShared(config, `--workers ${workers}`)
  return withPreparedHome(config, secrets => {
    if (workers === 1 || cluster.isWorker) return serve(config, secrets)
    const { stopDelaySeconds } = config
    return runProcesses({ count: workers, stopDelaySeconds, onReady: ([url = '']) => tellUrl(url, config, workers) })
  })
}

/** One of several processes leaves it to the one that started it to tell the address. */
function serve(config: Config, secrets: Secrets): Promise<number> {
  const open = (onFailure: (error: Error) => void) => listen(config, secrets, onFailure)
  return runUntilStopped(open, ({ url }) => (cluster.isWorker ? sayReady(url) : tellUrl(url, config)))
}

async function listen(config: Config, secrets: Secrets, onFailure: (error: Error) => void): Promise<RunningServer> {
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

function tellUrl(url: string, config: Config, processes = 1): void {
  const lines = [`Postil serves at ${url}`, `  data in ${config.homePath}`, `  API described at ${new URL('api/v1/docs', url)}`]
  if (processes > 1) lines.push(`  ${processes} processes`)
  process.stdout.write(`${lines.join('\n')}\n`)
}
