import cluster from 'node:cluster'
import { type Config, readConfig } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { Secrets } from '../lib/secrets.ts'
import { reportReady, runProcesses } from '../processes/supervisor.ts'
import { type RunningServer, serveHttp } from '../serve-http.ts'
import { requirePostgres, withPreparedHome } from './prepared-home.ts'
import { runUntilStopped } from './run-until-stopped.ts'

interface StartOptions {
  host?: string
  port?: string
  accessLog?: boolean
  backgroundWork?: boolean
  /** Number of server processes. */
  workers?: number
}

/** Runs the server until a signal arrives, then finishes running requests. */
export async function start({ workers = 1, ...options }: StartOptions): Promise<number> {
  const config = readConfig(undefined, options)
  if (workers > 1) requirePostgres(config, `--workers ${workers}`)
  return withPreparedHome(config, secrets => {
    if (workers === 1 || cluster.isWorker) return serve(config, secrets)
    const { stopDelaySeconds } = config
    return runProcesses({ count: workers, stopDelaySeconds, onReady: ([url = '']) => tellUrl(url, config, workers) })
  })
}

/** A worker process reports its URL to the primary, which prints it. */
function serve(config: Config, secrets: Secrets): Promise<number> {
  const open = (onFailure: (error: Error) => void) => listen(config, secrets, onFailure)
  return runUntilStopped(open, ({ url }) => (cluster.isWorker ? reportReady(url) : tellUrl(url, config)))
}

async function listen(config: Config, secrets: Secrets, onFailure: (error: Error) => void): Promise<RunningServer> {
  try {
    return await serveHttp(config, secrets, onFailure)
  } catch (error) {
    throw explainListenFailure(error, config) ?? error
  }
}

/** Explains why the server cannot listen on the address; returns null for any other failure. */
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
  const lines = [`Postil serves at ${url}`, `  data folder  ${config.homePath}`, `  API docs     ${new URL('api/v1/docs', url)}`]
  if (processes > 1) lines.push(`  processes    ${processes}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}
