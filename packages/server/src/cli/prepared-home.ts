/**
 * Shared parts of the commands that run until they are stopped: print warnings about settings, prepare the home folder, explain
 * failures.
 */
import cluster from 'node:cluster'
import { InvalidArgumentError } from 'commander'
import type { Config } from '../config.ts'
import { checkDescriptors } from '../lib/descriptors.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { Secrets } from '../lib/secrets.ts'
import { type PrepareEvents, prepareHome } from '../prepare-home.ts'
import { withStorageErrors } from './open-home.ts'

const PROCESSES_MAX = 64

/** Parses a number of processes from an option. */
export function parseProcessCount(given: string): number {
  const count = /^\d+$/.test(given) ? Number(given) : 0
  if (count >= 1 && count <= PROCESSES_MAX) return count
  throw new InvalidArgumentError(`Expected a number from 1 to ${PROCESSES_MAX}.`)
}

/** Throws on SQLite, which only one process can use. */
export function requirePostgres({ databaseUrl }: Config, what: string): void {
  if (databaseUrl !== null) return
  throw new OperatorError(
    `${what} needs PostgreSQL: an SQLite database is used by one process, which does everything. ` +
      'Set SERVICE_DATABASE_URL=postgresql://…, or start one process.',
  )
}

export function withPreparedHome(config: Config, work: (secrets: Secrets) => Promise<number>): Promise<number> {
  // Processes of one command have the same settings, so only the primary prints the warnings.
  if (cluster.isPrimary) for (const warning of config.warnings) process.stderr.write(`${warning}\n`)
  return withStorageErrors(config, async () => {
    checkDescriptors()
    const home = await prepareHome(config, { tell: line => void process.stderr.write(`${line}\n`), tellOwner })
    try {
      return await work(home.secrets)
    } finally {
      home.release()
    }
  })
}

/** Given secrets are not printed: the operator has them, and output may be logged. */
const GIVEN = 'the one you gave'

const tellOwner: PrepareEvents['tellOwner'] = ({ username, password, apiKey }) => {
  const isAllGiven = password === null && apiKey === null
  const lines = [`Created the first owner.${isAllGiven ? '' : ' Store these credentials: they are shown only once.'}`]
  lines.push(`  username  ${username}`, `  password  ${password ?? GIVEN}`, `  API key   ${apiKey ?? GIVEN}`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
