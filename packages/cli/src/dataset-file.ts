/**
 * A dataset as a JSON Lines file: the first line contains its settings, each other line a record.
 *
 * Questions and users are identified by name instead of id, so that another server can read the file.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { DatasetDescription, DatasetRecord, RecordCreate } from '@postil/client'
import type { DatasetWithIncludes } from '@postil/domain/dataset-includes'
import { Failure } from './failure.ts'

const FORMAT = 1

export interface FileHead extends Omit<DatasetDescription, 'workspace'> {
  postil_dataset: number
}

type SuggestionCreate = NonNullable<RecordCreate['suggestions']>[number]
type ResponseOfUser = NonNullable<RecordCreate['responses']>[number]

export interface FileRecord extends Omit<RecordCreate, 'suggestions' | 'responses'> {
  suggestions: (Omit<SuggestionCreate, 'question_id'> & { question: string })[]
  responses: (Omit<ResponseOfUser, 'user_id'> & { user: string })[]
}

/** Maps ids to names when a file is written, and names to ids when it is read. */
export interface NameMaps {
  questions: ReadonlyMap<string, string>
  users: ReadonlyMap<string, string>
}

export function toHead(dataset: DatasetWithIncludes): FileHead {
  const { name, guidelines, allow_extra_metadata, distribution, metadata } = dataset
  return {
    postil_dataset: FORMAT,
    name,
    guidelines,
    allow_extra_metadata,
    distribution,
    metadata,
    // Omits the ids and times that the server adds. Stored settings have the same shape as those in create requests.
    fields: (dataset.fields ?? []).map(({ name, title, required, settings }) => ({ name, title, required, settings })),
    questions: (dataset.questions ?? []).map(({ name, title, description, required, settings }) => {
      return { name, title, description, required, settings }
    }),
    metadata_properties: (dataset.metadata_properties ?? []).map(({ name, title, settings, visible_for_annotators }) => {
      return { name, title, settings, visible_for_annotators }
    }),
    vectors_settings: (dataset.vectors_settings ?? []).map(({ name, title, dimensions }) => ({ name, title, dimensions })),
  } as FileHead
}

export function toFileRecord(record: DatasetRecord, { questions, users }: NameMaps): FileRecord {
  const { external_id, fields, metadata, suggestions = [], responses = [], vectors = {} } = record
  return {
    external_id,
    fields,
    metadata,
    vectors,
    suggestions: suggestions.map(({ question_id, value, type, agent, score }) => {
      return { question: questions.get(question_id) ?? question_id, value, type, agent, score }
    }),
    responses: responses.map(({ user_id, status, values }) => ({ user: users.get(user_id) ?? user_id, status, values })),
  } as FileRecord
}

/** Throws a failure that names the missing question or user. */
export function toRecordCreate(record: FileRecord, { questions, users }: NameMaps): RecordCreate {
  const { suggestions = [], responses = [], ...rest } = record
  const idOf = (ids: ReadonlyMap<string, string>, what: string, name: string) => {
    const id = ids.get(name)
    if (id === undefined) throw new Failure('Import error', `There is no ${what} \`${name}\`.`)
    return id
  }
  return {
    ...rest,
    suggestions: suggestions.map(({ question, ...others }) => ({
      ...others,
      question_id: idOf(questions, 'question', question),
    })),
    responses: responses.map(({ user, ...others }) => ({ ...others, user_id: idOf(users, 'user', user) })),
  } as RecordCreate
}

export function parseHead(line: string | undefined, path: string): FileHead {
  const head = parseLine(line ?? '', path, 1) as Partial<FileHead>
  if (typeof head.postil_dataset !== 'number' || typeof head.name !== 'string') {
    throw new Failure('Import error', `${path} is not a file that \`postil datasets export\` made.`)
  }
  if (head.postil_dataset > FORMAT)
    throw new Failure('Import error', `${path} was made by a newer release. Upgrade the command line.`)
  return head as FileHead
}

/** Yields records with their line number. Only the current line is in memory. */
export async function* readRecords(path: string): AsyncGenerator<{ line: number; record: FileRecord }> {
  let line = 0
  for await (const text of readLines(path)) {
    line++
    if (line > 1 && text.trim() !== '') yield { line, record: parseLine(text, path, line) as FileRecord }
  }
}

export async function readFirstLine(path: string): Promise<string | undefined> {
  for await (const line of readLines(path)) return line
  return undefined
}

async function* readLines(path: string): AsyncGenerator<string> {
  const input = createReadStream(path, 'utf8')
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw new Failure('Import error', `${path} cannot be read: ${(error as Error).message}.`)
  } finally {
    input.destroy()
  }
}

function parseLine(text: string, path: string, line: number): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Failure('Import error', `Line ${line} of ${path} is not a JSON object. Nothing was imported.`)
}
