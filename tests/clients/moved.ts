/** Runs the scripts of the guides for other tools, and reads what they stored. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StartedServer } from '../server.ts'
import { readBlocks, runWithSdk } from './guide-blocks.ts'
import { call } from './webhook-events.ts'

const EXAMPLES = fileURLToPath(new URL('../../docs/guide/examples/', import.meta.url))

/** The arguments of the command in a guide, after the name of the script. */
export const readArguments = (guide: string): string[] => (readBlocks(guide, 'sh')[0] ?? '').trim().split(' ').slice(2)

/** Runs a script in a folder with the files of the scripts and of the export. Resolves with what it prints. */
export function runScript(server: StartedServer, script: string, folder: string, args: readonly string[]): Promise<string> {
  for (const file of ['moving.py', 'uploading.py']) writeFileSync(join(folder, file), readFileSync(join(EXAMPLES, file)))
  const env = { POSTIL_URL: server.url, POSTIL_API_KEY: server.apiKey }
  return runWithSdk(readFileSync(join(EXAMPLES, script), 'utf8'), { args: [...args], cwd: folder, env })
}

export const toLines = (rows: readonly unknown[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('')

interface Values {
  [question: string]: { value: unknown }
}

export interface Moved {
  fields: Record<string, unknown>
  metadata: Record<string, unknown> | null
  /** By username: the status and the value of each question. */
  answers: Record<string, Record<string, unknown>>
  suggestions: Record<string, unknown>
  comments: string[]
}

export interface MovedDataset {
  settings: { name: string; required?: boolean; settings: { type: string; options?: { value: unknown; text: string }[] } }[]
  /** By external id. */
  records: Record<string, Moved>
  members: string[]
}

/** Null if there is no such dataset. */
export async function readDataset(server: StartedServer, name: string): Promise<MovedDataset | null> {
  const { items: datasets } = await call(server, 'GET', '/me/datasets')
  const dataset = datasets.find((one: { name: string }) => one.name === name)
  if (dataset === undefined) return null
  const [fields, questions, properties] = await Promise.all(
    [`/datasets/${dataset.id}/fields`, `/datasets/${dataset.id}/questions`, `/me/datasets/${dataset.id}/metadata-properties`].map(
      async path => (await call(server, 'GET', path)).items,
    ),
  )
  const usernames = await readUsernames(server)
  const names = new Map<string, string>(questions.map((one: { id: string; name: string }) => [one.id, one.name]))
  const { items } = await call(server, 'GET', `/datasets/${dataset.id}/records?include=responses&include=suggestions`)
  const records = await Promise.all(
    items.map(async (record: RecordBody): Promise<[string, Moved]> => {
      const { items: comments } = await call(server, 'GET', `/records/${record.id}/comments`)
      return [
        record.external_id,
        { ...toMoved(record, usernames, names), comments: comments.map(({ body }: { body: string }) => body) },
      ]
    }),
  )
  const { items: members } = await call(server, 'GET', `/workspaces/${dataset.workspace_id}/users`)
  return {
    settings: [...fields, ...questions, ...properties],
    records: Object.fromEntries(records),
    members: members.map(({ username }: { username: string }) => username),
  }
}

interface RecordBody {
  id: string
  external_id: string
  fields: Record<string, unknown>
  metadata: Record<string, unknown> | null
  responses: { user_id: string; status: string; values: Values }[]
  suggestions: { question_id: string; value: unknown; score: number | null; agent: string | null }[]
}

const toPlain = (values: Values) => Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]))

const toMoved = (record: RecordBody, usernames: ReadonlyMap<string, string>, questions: ReadonlyMap<string, string>) => ({
  fields: record.fields,
  metadata: record.metadata,
  answers: Object.fromEntries(
    record.responses.map(({ user_id, status, values }) => [usernames.get(user_id) ?? '', { status, ...toPlain(values) }]),
  ),
  suggestions: Object.fromEntries(
    record.suggestions.map(({ question_id, value, score, agent }) => [questions.get(question_id) ?? '', { value, score, agent }]),
  ),
})

/** By user id. */
export async function readUsernames(server: StartedServer): Promise<Map<string, string>> {
  const { items } = await call(server, 'GET', '/users')
  return new Map(items.map(({ id, username }: { id: string; username: string }) => [id, username]))
}

const isEmpty = (value: unknown) => value === null || value === '' || value === false || value === 0

/** Texts and numbers inside a value, and the keys. */
function* listLeaves(value: unknown, path: readonly string[] = []): Generator<{ path: readonly string[]; leaf: unknown }> {
  if (typeof value !== 'object' || value === null) yield { path, leaf: value }
  else for (const [key, part] of Object.entries(value)) yield* listLeaves(part, [...path, key])
}

/**
 * Compares an export with the dataset, value by value. Returns the values that are neither stored nor in the printed list.
 * `structure`: keys that only connect parts of the export.
 */
export function findMissing(exported: unknown, { dataset, printed, structure }: Comparison): string[] {
  const stored = new Set<unknown>()
  for (const { path, leaf } of listLeaves(dataset)) {
    stored.add(typeof leaf === 'string' ? leaf.trim() : leaf)
    for (const key of path) stored.add(key)
  }
  const [, list = ''] = printed.split('Not imported:\n')
  const listed = new Set(
    list.split('\n').flatMap(
      line =>
        line
          .replace(/^ *\d+ × /, '')
          .split(': ')
          .at(-1)
          ?.split(', ') ?? [],
    ),
  )
  const isKnown = (path: readonly string[], leaf: unknown) =>
    isEmpty(leaf) || stored.has(leaf) || path.some(key => structure.includes(key) || listed.has(key))
  return [...listLeaves(exported)]
    .filter(({ path, leaf }) => !isKnown(path, leaf))
    .map(({ path, leaf }) => `${path.join('.')}: ${leaf}`)
}

interface Comparison {
  dataset: MovedDataset | null
  printed: string
  structure: readonly string[]
}
