/** `datasets export` and `datasets import`: write a dataset with its records to a file, and read it back. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createDatasetWithSettings, createRecordsInChunks, type RecordCreate } from '@postil/client'
import { createProgress } from '@postil/terminal/progress'
import { readAllRecords } from '../all-records.ts'
import type { CommandInput } from '../command.ts'
import {
  type FileHead,
  type NameMaps,
  parseHead,
  readFirstLine,
  readRecords,
  toFileRecord,
  toHead,
  toRecordCreate,
} from '../dataset-file.ts'
import { loadDataset, nameOfWorkspace, requireName, type TargetOptions } from '../datasets.ts'
import { Failure, findReason, hasCode, orFail } from '../failure.ts'
import { loadWorkspace, openSession, requireRole, type Session } from '../session.ts'

const INCLUDE = ['fields', 'questions', 'metadata_properties', 'vectors_settings', 'records_total']

export async function exportDataset(given: CommandInput<TargetOptions & { force?: boolean }>): Promise<void> {
  const name = requireName(given)
  const [path = ''] = given.args
  const session = await openSession()
  if (existsSync(path) && !given.options.force) throw new Failure('Export error', `${path} exists. Add --force to replace it.`)
  requireRole(session, 'owner', 'admin')
  const found = await loadDataset(session, { ...given.options, name })
  const records = await orFail('Export error', () => writeFile(session, found.id, path))
  const workspace = nameOfWorkspace(session, found)
  given.out.panel('Dataset exported', [`${records} records of \`${name}\` were written to ${path}.`], {
    name,
    workspace,
    records,
    file: path,
  })
}

/** Writes to a temporary file and renames it at the end, so that the target file is always complete. */
async function writeFile(session: Session, datasetId: string, path: string): Promise<number> {
  const { client } = session
  const dataset = await client.getDataset({ params: { dataset_id: datasetId }, query: { include: INCLUDE } })
  const names: NameMaps = {
    questions: new Map((dataset.questions ?? []).map(({ id, name }) => [id, name])),
    users: new Map((await listVisibleUsers(session, dataset.workspace_id)).map(({ id, username }) => [id, username])),
  }
  const progress = createProgress('Exporting', dataset.records_total ?? 0)
  const unfinished = `${path}.${process.pid}.unfinished`
  try {
    const file = await openWriter(unfinished)
    try {
      await file.write(toHead(dataset))
      let records = 0
      for await (const record of readAllRecords(client, datasetId)) {
        await file.write(toFileRecord(record, names))
        records++
        if (records % 100 === 0) progress.show(records)
      }
      await file.end()
      renameSync(unfinished, path)
      return records
    } finally {
      await file.close()
    }
  } catch (error) {
    throw explainFile(error, path)
  } finally {
    progress.end()
    rmSync(unfinished, { force: true })
  }
}

const BUFFER_LENGTH = 1_000_000

/** Buffers lines and writes them in batches. `end` waits until they are on disk. */
async function openWriter(path: string) {
  const file = await open(path, 'wx', 0o600)
  let waiting = ''
  const flush = async () => {
    await file.appendFile(waiting)
    waiting = ''
  }
  return {
    write: async (value: object) => {
      waiting += `${JSON.stringify(value)}\n`
      if (waiting.length > BUFFER_LENGTH) await flush()
    },
    end: async () => {
      await flush()
      await file.sync()
    },
    close: () => file.close(),
  }
}

function explainFile(error: unknown, path: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
    ? new Failure('Export error', `${path} cannot be written: ${message}.`)
    : error
}

/** Owners see all users; admins see the members of the workspace. */
async function listVisibleUsers({ client, me }: Session, workspaceId: string) {
  const { items } =
    me.role === 'owner' ? await client.listUsers() : await client.listWorkspaceUsers({ params: { workspace_id: workspaceId } })
  return items
}

interface ImportOptions extends TargetOptions {
  withoutResponses?: boolean
}

export async function importDataset({ options, args: [path = ''], out }: CommandInput<ImportOptions>): Promise<void> {
  const session = await openSession()
  const head = parseHead(await readFirstLine(path), path)
  requireRole(session, 'owner', 'admin')
  const target = options.workspace ?? session.workspace
  if (target === null) throw new Failure('Workspace not found', 'Name the workspace of the new dataset with --workspace.')
  const workspace = loadWorkspace(session, target)
  const people = await orFail('Import error', () => listVisibleUsers(session, workspace.id))
  const users = new Map(people.map(({ id, username }) => [username, id]))
  const total = await checkRecords(path, head, options.withoutResponses ? null : users)
  const name = options.name ?? head.name
  const records = await createImported(session, {
    path,
    head: { ...head, name },
    workspace: workspace.name,
    users,
    total,
    options,
  })
  out.panel('Dataset imported', [`\`${name}\` was created in \`${target}\` with ${records} records.`], {
    name,
    workspace: target,
    records,
  })
}

/**
 * Reads every line before anything is created, and checks that the author of each response is a user. Returns the number of
 * records.
 */
async function checkRecords(path: string, head: FileHead, users: ReadonlyMap<string, string> | null): Promise<number> {
  const questions = new Map(head.questions.map(({ name }) => [name, name]))
  let total = 0
  for await (const { line, record } of readRecords(path)) {
    total++
    try {
      toRecordCreate(users === null ? { ...record, responses: [] } : record, { questions, users: users ?? new Map() })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const hint = 'Create the user first, or leave responses out with --without-responses.'
      throw new Failure('Import error', `Line ${line} of ${path}: ${error.message} Nothing was imported. ${hint}`)
    }
  }
  return total
}

interface ImportInput {
  path: string
  head: FileHead
  workspace: string
  users: ReadonlyMap<string, string>
  total: number
  options: ImportOptions
}

/** Creates the dataset with its records. If a record is refused, the new dataset is deleted again. */
async function createImported(
  { client }: Session,
  { path, head, workspace, users, total, options }: ImportInput,
): Promise<number> {
  const { postil_dataset: _, ...description } = head
  const exists = new Failure(
    'Dataset already exists',
    `There is a dataset \`${head.name}\` in \`${workspace}\`. Give another name with --name.`,
  )
  const { dataset, questions } = await orFail(
    'Import error',
    () => createDatasetWithSettings(client, { ...description, workspace }),
    error => (hasCode(error, 'not_unique') ? exists : null),
  )
  const names = { questions: new Map(questions.map(({ id, name }) => [name, id])), users }
  const progress = createProgress('Importing', total)
  try {
    return await createRecordsInChunks(client, dataset.id, toRecords(path, names, options), { onProgress: progress.show })
  } catch (error) {
    const reason = error instanceof Failure ? error.message : findReason(error)
    if (reason === null) throw error
    const left = await client.deleteDataset({ params: { dataset_id: dataset.id } }).then(
      () => 'Nothing was imported.',
      () => `The dataset \`${head.name}\` could not be removed again: delete it.`,
    )
    throw new Failure('Import error', `${reason}. ${left}`, { cause: error })
  } finally {
    progress.end()
  }
}

async function* toRecords(path: string, names: NameMaps, { withoutResponses }: ImportOptions): AsyncGenerator<RecordCreate> {
  for await (const { record } of readRecords(path)) {
    yield toRecordCreate(withoutResponses ? { ...record, responses: [] } : record, names)
  }
}
