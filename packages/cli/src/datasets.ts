/** Finds datasets by name, as given on the command line. */
import type { Dataset } from '@postil/client'
import type { Command } from 'commander'
import { type CommandInput, requireOption } from './command.ts'
import { Failure, orFail } from './failure.ts'
import { loadWorkspace, type Session } from './session.ts'

const NAME = '--name <name>'

export interface TargetOptions {
  name?: string
  workspace?: string
}

/** Adds the options that select a dataset, for the group and for its commands. */
export const addTarget = (command: Command) =>
  command.option(NAME, 'the dataset').option('--workspace <name>', 'its workspace; needed if several have a dataset of this name')

export const nameOfWorkspace = ({ workspaces }: Session, dataset: Dataset) =>
  workspaces.find(({ id }) => id === dataset.workspace_id)?.name ?? dataset.workspace_id

export const requireName = (given: CommandInput<TargetOptions>) => requireOption(given, given.options.name, NAME)

/**
 * Returns the dataset that `--name` and `--workspace` select. Without `--workspace`, uses the workspace of the login, or searches
 * all workspaces.
 */
export async function loadDataset(session: Session, { name = '', workspace }: TargetOptions): Promise<Dataset> {
  const chosen = workspace ?? session.workspace
  const query = { name, ...(chosen !== null && { workspace_id: loadWorkspace(session, chosen).id }) }
  const { items } = await orFail('Unexpected error', () => session.client.listMyDatasets({ query }))
  const [found, another] = items
  if (found === undefined) {
    const place = chosen === null ? 'your workspaces' : `the workspace \`${chosen}\``
    const hint = workspace === undefined ? ' Its workspace can be given with --workspace.' : ''
    throw new Failure('Dataset not found', `There is no dataset \`${name}\` in ${place}.${hint}`)
  }
  if (another === undefined) return found
  const names = items.map(item => nameOfWorkspace(session, item)).join(', ')
  throw new Failure('Dataset not found', `Several workspaces have a dataset \`${name}\`: ${names}. Choose one with --workspace.`)
}
