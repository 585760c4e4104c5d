import cluster from 'node:cluster'
import { readConfig } from '../config.ts'
import { runBackground } from '../processes/background-process.ts'
import { reportReady, runProcesses } from '../processes/supervisor.ts'
import { requirePostgres, withPreparedHome } from './prepared-home.ts'
import { runUntilStopped } from './run-until-stopped.ts'

interface WorkerOptions {
  numWorkers?: number
  queues?: string[]
}

/** Runs jobs, webhook deliveries and other background work until a signal arrives. */
export async function worker({ numWorkers = 1, queues = [] }: WorkerOptions): Promise<number> {
  const config = { ...readConfig(undefined, { backgroundWork: true }), reindexDatasets: false }
  requirePostgres(config, '`postil server worker`')
  if (queues.length > 0 && cluster.isPrimary) process.stderr.write('--queues has no effect: every worker runs all jobs.\n')
  return withPreparedHome(config, secrets => {
    if (numWorkers > 1 && cluster.isPrimary)
      return runProcesses({ count: numWorkers, stopDelaySeconds: 0, onReady: () => tell(numWorkers) })
    const open = (onFailure: (error: Error) => void) => runBackground(config, secrets, onFailure)
    return runUntilStopped(open, () => (cluster.isWorker ? reportReady('worker') : tell(1)))
  })
}

const tell = (processes: number) =>
  void process.stdout.write(
    `Postil works on jobs and webhooks, without HTTP, in ${processes === 1 ? 'one process' : `${processes} processes`}\n`,
  )
