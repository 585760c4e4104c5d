import type { Dataset } from '@postil/client'
import { type LegacyDataset, legacyListDatasets } from '@postil/domain/legacy/api-datasets'
import { makeGroup } from '@postil/terminal/help'
import { type Command, Option } from 'commander'
import { type CommandInput, setAction } from '../command.ts'
import { addTarget, loadDataset, nameOfWorkspace, requireName, type TargetOptions } from '../datasets.ts'
import { orFail } from '../failure.ts'
import { toBullets, toDate } from '../output.ts'
import { loadWorkspace, openSession, requireRole, type Session } from '../session.ts'
import { addPushToHub } from './push-to-hub.ts'
import { exportDataset, importDataset } from './transfer.ts'

export function addDatasetCommands(program: Command): void {
  const group = program.command('datasets').description('Datasets of your workspaces')
  addTarget(group)
  makeGroup(group, ['datasets list', 'datasets --name reviews --workspace team delete'])

  const list = group
    .command('list')
    .description('List datasets')
    .option('--workspace <name>', 'only those of this workspace')
    .addOption(new Option('--type <type>', 'only those of this type').choices(['feedback', 'other']))
  setAction(list, ['datasets list', 'datasets list --workspace team --json'], listDatasets)

  const remove = group.command('delete').description('Delete a dataset with its records and responses')
  setAction(
    addTarget(remove),
    ['datasets --name reviews --workspace team delete', 'datasets delete --name reviews --workspace team'],
    deleteDataset,
  )
  addPushToHub(group)
  addTransfer(group)
}

function addTransfer(group: Command): void {
  const exporting = group
    .command('export')
    .description('Write a dataset with records, suggestions, responses and vectors to a file of JSON Lines')
    .argument('<file>')
    .option('--force', 'replace the file if it exists', false)
  setAction(addTarget(exporting), ['datasets --name reviews export reviews.jsonl'], exportDataset)

  const importing = group
    .command('import')
    .description('Create a dataset from a file that `datasets export` wrote')
    .argument('<file>')
    .option('--name <name>', 'name of the new dataset; the one in the file unless given')
    .option('--workspace <name>', 'where it is created')
    .option('--without-responses', 'leave responses out', false)
  setAction(
    importing,
    ['datasets import reviews.jsonl --workspace team', 'datasets import reviews.jsonl --name copy'],
    importDataset,
  )
}

type DatasetType = 'feedback' | 'other'

async function listDatasets({ options, out }: CommandInput<{ workspace?: string; type?: DatasetType }>): Promise<void> {
  const session = await openSession()
  const { workspace, type } = options
  const tasks = type === 'feedback' ? [] : await readTaskDatasets(session, workspace)
  const datasets = type === 'other' ? [] : await readDatasets(session, workspace)
  const rows = [
    ...tasks.map(({ id, name, workspace, task, tags, created_at, last_updated }) => {
      const lines = toBullets(Object.entries(tags)).join('\n')
      return [id, name, workspace, task, lines, toDate(created_at), toDate(last_updated)]
    }),
    ...datasets.map(dataset => {
      const { id, name, inserted_at, updated_at } = dataset
      return [id, name, nameOfWorkspace(session, dataset), 'Feedback', '', toDate(inserted_at), toDate(updated_at)]
    }),
  ]
  const columns = ['ID', 'Name', 'Workspace', 'Type', 'Tags', 'Creation Date', 'Last Update Date']
  const value = [
    ...tasks.map(dataset => ({ ...dataset, type: dataset.task })),
    ...datasets.map(dataset => ({ ...dataset, workspace: nameOfWorkspace(session, dataset), type: 'Feedback' })),
  ]
  out.table('Datasets', columns, rows, value)
}

/** Reads the datasets that 1.x clients created. */
async function readTaskDatasets(session: Session, workspace: string | undefined): Promise<LegacyDataset[]> {
  if (workspace !== undefined) loadWorkspace(session, workspace)
  const all = await orFail('Unexpected error', () => session.client.call(legacyListDatasets, { params: { workspace: '' } }))
  return all.filter(dataset => workspace === undefined || dataset.workspace === workspace)
}

async function readDatasets(session: Session, workspace: string | undefined): Promise<Dataset[]> {
  const query = workspace === undefined ? {} : { workspace_id: loadWorkspace(session, workspace).id }
  return (await orFail('Unexpected error', () => session.client.listMyDatasets({ query }))).items
}

async function deleteDataset(given: CommandInput<TargetOptions>): Promise<void> {
  const name = requireName(given)
  const session = await openSession()
  requireRole(session, 'owner', 'admin')
  const dataset = await loadDataset(session, { ...given.options, name })
  const workspace = nameOfWorkspace(session, dataset)
  await orFail('Unexpected error', () => session.client.deleteDataset({ params: { dataset_id: dataset.id } }))
  given.out.panel('Dataset deleted', [`Dataset \`${name}\` of the workspace \`${workspace}\` was deleted.`], {
    ...dataset,
    workspace,
  })
}
