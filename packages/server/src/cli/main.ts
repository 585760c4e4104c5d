/** The server's command line: arguments, help and exit codes (1: the command failed; 2: the settings or arguments are wrong). */
import { DomainError } from '@postil/domain/errors'
import { describeCommands } from '@postil/terminal/command-tree'
import { addExamples, makeGroup } from '@postil/terminal/help'
import { PromptError } from '@postil/terminal/prompt'
import { Command, CommanderError, Option } from 'commander'
import { ConfigError } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { POSTIL_VERSION } from '../version.ts'
import { backup } from './backup.ts'
import { addDatabase } from './database-commands.ts'
import { doctor } from './doctor.ts'
import { importFromArgilla } from './import-argilla.ts'
import { parseProcessCount } from './prepared-home.ts'
import { restore } from './restore.ts'
import { reindex, verify } from './search-engine.ts'
import { start } from './start.ts'
import { showTelemetry } from './telemetry.ts'
import { worker } from './worker.ts'

export async function runCli(args: readonly string[]): Promise<number> {
  // Only the user who runs the server may access databases, keys, logs and backups.
  process.umask(0o077)
  let code = 0
  const done = async (work: Promise<number>) => {
    code = await work
  }
  const program = buildProgram(done)
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return explain(error)
  }
}

/** Runs a command and stores its exit code. */
export type RunCommand = (work: Promise<number>) => Promise<void>

/** All commands of the server. `start` is also available at the top level. */
export function buildProgram(done: RunCommand): Command {
  const program = new Command('postil').description('Collect human feedback on data').version(POSTIL_VERSION, '--version')
  program.exitOverride().showHelpAfterError()
  makeGroup(program, ['server start', 'server --help'])
  addStart(program, done)
  const server = program.command('server').description('Run and look after a server')
  addStart(server, done)
  addWorker(server, done)
  addBackup(server, done)
  addRestore(server, done)
  addDoctor(server, done)
  addImportArgilla(server, done)
  addDatabase(server, done)
  addSearchEngine(server, done)
  addTelemetry(server, done)
  makeGroup(server, ['server start --port 6900', 'server database users create --help', 'server backup ~/backups/today'])
  server.addCommand(describeCommand(program), { hidden: true })
  return program
}

/** For shell completion, which the `postil` command line generates. */
const describeCommand = (program: Command) =>
  new Command('describe-commands').action(() => void process.stdout.write(JSON.stringify(describeCommands(program))))

function addStart(parent: Command, done: RunCommand): void {
  addExamples(parent.command('start'), ['server start', 'server start --host 0.0.0.0 --port 6900', 'server start --workers 4'])
    .description('Serve the API until stopped')
    .option('--host <address>', 'address to listen on (SERVICE_HOST)')
    .option('--port <number>', 'port to listen on (SERVICE_PORT)')
    .option('--access-log', 'log one line per request (SERVICE_ACCESS_LOG)')
    .option('--no-access-log', 'log no line per request')
    .option('--background-work', 'run jobs and deliveries too (SERVICE_BACKGROUND_WORK)')
    .option('--no-background-work', 'leave jobs and deliveries to `postil server worker`')
    .option('--workers <number>', 'processes that serve on the same port; more than one needs PostgreSQL', parseProcessCount)
    .action(options => done(start(options)))
}

function addWorker(server: Command, done: RunCommand): void {
  addExamples(server.command('worker'), ['server worker', 'server worker --num-workers 2'])
    .description('Run jobs, deliveries to webhooks and other background work, without HTTP, until stopped')
    .option('--num-workers <number>', 'processes', parseProcessCount)
    .option('--queues <name...>', 'has no effect: every worker runs all jobs')
    .action(options => done(worker(options)))
}

const POSTGRES_TOOLS = [
  '--postgres-tools <folder>',
  'where pg_dump and pg_restore are, if a PostgreSQL database needs others than those on PATH',
] as const

function addBackup(server: Command, done: RunCommand): void {
  addExamples(server.command('backup'), ['server backup ~/backups/today'])
    .description('Copy the database and its keys, also while the server runs')
    .argument('<folder>', 'where the copy goes; must be empty or not exist')
    .option(...POSTGRES_TOOLS)
    .action((folder, options) => done(backup(folder, options)))
}

function addRestore(server: Command, done: RunCommand): void {
  addExamples(server.command('restore'), ['server restore ~/backups/today', 'server restore ~/backups/today --force'])
    .description('Check a backup and make it the data of the server, which must not run')
    .argument('<folder>', 'what `server backup` made')
    .option('--force', 'also if there is data already, which is moved aside', false)
    .option(...POSTGRES_TOOLS)
    .action((folder, options) => done(restore(folder, options)))
}

function addDoctor(server: Command, done: RunCommand): void {
  addExamples(server.command('doctor'), ['server doctor', 'server doctor --json'])
    .description('Check settings, folder, keys, disk, database, index and clock, and say what to do')
    .option('--json', 'print JSON, for programs', false)
    .action(options => done(doctor(options)))
}

function addImportArgilla(server: Command, done: RunCommand): void {
  addExamples(server.command('import-argilla'), [
    'server import-argilla --from sqlite:////home/me/.argilla/argilla.db --dry-run',
    'server import-argilla --from postgresql://argilla@localhost/argilla',
  ])
    .description('Bring users, workspaces, datasets, records, responses and webhooks from the database of an Argilla 2.x server')
    .requiredOption('--from <url>', 'its database: `sqlite:////<path>/argilla.db` or `postgresql://…`; it is only read')
    .option('--dry-run', 'read and check everything, and write nothing', false)
    .option('--skip-invalid', 'leave out rows that cannot be stored, instead of refusing all', false)
    .option('--json', 'print the report as JSON, for programs', false)
    .action(options => done(importFromArgilla(options)))
}

function addSearchEngine(server: Command, done: RunCommand): void {
  const engine = server.command('search-engine').description('The search index')
  const dataset = ['--dataset-id <id>', 'only this dataset'] as const
  makeGroup(engine, ['server search-engine reindex', 'server search-engine verify'])
  addExamples(engine.command('reindex'), ['server search-engine reindex', 'server search-engine reindex --dataset-id <id>'])
    .description('Build the index anew from the stored records')
    .option(...dataset)
    .addOption(new Option('--feedback-dataset-id <id>', 'the same, as it was called in 1.x').hideHelp())
    .action(options => done(reindex(options.datasetId ?? options.feedbackDatasetId ?? null)))
  addExamples(engine.command('verify'), ['server search-engine verify'])
    .description('Compare the index with the stored records')
    .option(...dataset)
    .action(options => done(verify(options.datasetId ?? null)))
}

function addTelemetry(server: Command, done: RunCommand): void {
  const telemetry = server.command('telemetry').description('Anonymous reports of usage')
  makeGroup(telemetry, ['server telemetry show'])
  addExamples(telemetry.command('show'), ['server telemetry show'])
    .description('Print what a report holds, and whether and where it is sent')
    .action(() => done(showTelemetry()))
}

/** Prints expected failures in one sentence; anything else is a bug and is printed with its stack trace. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof ConfigError) {
    process.stderr.write(`The settings are wrong:\n${error.problems.map(problem => `  - ${problem}\n`).join('')}`)
    return 2
  }
  const isExpected = error instanceof OperatorError || error instanceof DomainError || error instanceof PromptError
  process.stderr.write(
    isExpected ? `${error.message}\n` : `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  return 1
}
