/** The command line: arguments, help and exit codes. 1: it failed; 2: the settings or arguments are wrong. */
import { DomainError } from '@postil/domain/errors'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { POSTIL_VERSION } from '../version.ts'
import { backup } from './backup.ts'
import { migrateDatabase, showRevisions } from './database.ts'
import { toCount } from './prepared-home.ts'
import { reindex, verify } from './search-engine.ts'
import { start } from './start.ts'
import { showTelemetry } from './telemetry.ts'
import { worker } from './worker.ts'

export async function runCli(args: readonly string[]): Promise<number> {
  // Databases, keys, logs and backups are for the user who runs the server alone.
  process.umask(0o077)
  let code = 0
  const done = async (work: Promise<number>) => {
    code = await work
  }
  const program = new Command('postil').description('Collect human feedback on data').version(POSTIL_VERSION, '--version')
  program.exitOverride().showHelpAfterError()
  addStart(program, done)
  const server = program.command('server').description('Run and look after a server')
  addStart(server, done)
  addWorker(server, done)
  addBackup(server, done)
  addDatabase(server, done)
  addSearchEngine(server, done)
  addTelemetry(server, done)
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return explain(error)
  }
}

type Done = (work: Promise<number>) => Promise<void>

function addStart(parent: Command, done: Done): void {
  parent
    .command('start')
    .description('Serve the API until stopped')
    .option('--host <address>', 'address to listen on (SERVICE_HOST)')
    .option('--port <number>', 'port to listen on (SERVICE_PORT)')
    .option('--access-log', 'log one line per request (SERVICE_ACCESS_LOG)')
    .option('--no-access-log', 'log no line per request')
    .option('--background-work', 'run jobs and deliveries too (SERVICE_BACKGROUND_WORK)')
    .option('--no-background-work', 'leave jobs and deliveries to `postil server worker`')
    .option('--workers <number>', 'processes that serve on the same port; more than one needs PostgreSQL', toCount)
    .action(options => done(start(options)))
}

function addWorker(server: Command, done: Done): void {
  server
    .command('worker')
    .description('Run jobs, deliveries to webhooks and other background work, without HTTP, until stopped')
    .option('--num-workers <number>', 'processes', toCount)
    .option('--queues <name...>', 'has no effect: every worker runs all jobs')
    .action(options => done(worker(options)))
}

function addBackup(server: Command, done: Done): void {
  server
    .command('backup')
    .description('Copy the database and its keys, also while the server runs')
    .argument('<folder>', 'where the copy goes; must be empty or not exist')
    .action(folder => done(backup(folder)))
}

function addDatabase(server: Command, done: Done): void {
  const database = server.command('database').description('The schema of the database')
  database
    .command('migrate')
    .description('Bring the schema to a revision, up or down')
    .option('--revision <revision>', 'a revision, a release, `head` or `base`', 'head')
    .option('--force', 'go down although what the older schema has no place for is deleted', false)
    .action(options => done(migrateDatabase(options)))
  database
    .command('revisions')
    .description('List known revisions and the current one')
    .action(() => done(showRevisions()))
}

function addSearchEngine(server: Command, done: Done): void {
  const engine = server.command('search-engine').description('The search index')
  const dataset = ['--dataset-id <id>', 'only this dataset'] as const
  engine
    .command('reindex')
    .description('Build the index anew from the stored records')
    .option(...dataset)
    .action(options => done(reindex(options.datasetId ?? null)))
  engine
    .command('verify')
    .description('Compare the index with the stored records')
    .option(...dataset)
    .action(options => done(verify(options.datasetId ?? null)))
}

function addTelemetry(server: Command, done: Done): void {
  const telemetry = server.command('telemetry').description('Anonymous reports of usage')
  telemetry
    .command('show')
    .description('Print what a report holds, and whether and where it is sent')
    .action(() => done(showTelemetry()))
}

/** Expected failures in a sentence; anything else is a bug of ours and is shown whole. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof ConfigError) {
    process.stderr.write(`The settings are wrong:\n${error.problems.map(problem => `  - ${problem}\n`).join('')}`)
    return 2
  }
  const isExpected = error instanceof OperatorError || error instanceof DomainError
  process.stderr.write(
    isExpected ? `${error.message}\n` : `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  return 1
}
