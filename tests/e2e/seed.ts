/** Datasets for the browser tests, created through the public API. */
import { type Client, createClient } from '@postil/client'
import type { FieldCreate } from '@postil/domain/fields'
import type { MetadataPropertyCreate } from '@postil/domain/metadata-properties'
import type { QuestionCreate } from '@postil/domain/questions'
import type { RecordCreate } from '@postil/domain/records'
import type { Cookie } from 'playwright-core'
import { discard, type StartedServer, startServer } from '../server.ts'
import { closeAtWorkerEnd } from './worker-end.ts'

export interface Person {
  username: string
  password: string
}

interface Member extends Person {
  id: string
  client: Client
}

export interface World {
  server: StartedServer
  owner: Client
  workspaceId: string
  workspace: string
  annotator: Member
  admin: Member
  /** Cookies of those who have signed in, by username. */
  sessions: Map<string, Cookie[]>
  close(): Promise<unknown>
}

/** A server with an owner, an admin and an annotator in one workspace. */
export async function openWorld(env: Record<string, string> = {}): Promise<World> {
  const server = await startServer({ env })
  const close = () => discard(server)
  return { ...(await inhabit(server, server.workspace, '')), close }
}

let shared: Promise<StartedServer> | undefined
let worlds = 0

/**
 * A workspace with an admin and an annotator of its own on a server that the files of a worker share. Tests that look at the whole
 * server, change its database or guess passwords need `openWorld`.
 */
export async function shareWorld(): Promise<World> {
  shared ??= startShared()
  const server = await shared
  const name = `world-${++worlds}`
  await createClient({ url: server.url, apiKey: server.apiKey }).createWorkspace({ body: { name } })
  return { ...(await inhabit(server, name, `-${worlds}`)), close: async () => undefined }
}

async function startShared(): Promise<StartedServer> {
  const server = await startServer()
  closeAtWorkerEnd(() => discard(server))
  return server
}

/** Adds an admin and an annotator to a workspace. */
async function inhabit(server: StartedServer, workspace: string, suffix: string): Promise<Omit<World, 'close'>> {
  const owner = createClient({ url: server.url, apiKey: server.apiKey })
  const { items } = await owner.listMyWorkspaces()
  const workspaceId = items.find(({ name }) => name === workspace)?.id ?? ''
  const add = async (name: string, role: 'annotator' | 'admin'): Promise<Member> => {
    const username = `${name}${suffix}`
    const password = `${username}-password`
    const user = await owner.createUser({ body: { username, first_name: name, last_name: 'Test', role, password } })
    await owner.addWorkspaceUser({ params: { workspace_id: workspaceId }, body: { user_id: user.id } })
    return { id: user.id, username, password, client: createClient({ url: server.url, apiKey: user.api_key ?? '' }) }
  }
  const annotator = await add('anna', 'annotator')
  const admin = await add('adam', 'admin')
  return { server, owner, workspaceId, workspace, annotator, admin, sessions: new Map() }
}

export interface Plan {
  name: string
  fields?: FieldCreate[]
  questions: QuestionCreate[]
  metadata?: MetadataPropertyCreate[]
  vectors?: { name: string; title: string; dimensions: number }[]
  guidelines?: string
  minSubmitted?: number
  /** Options that the web UI stores in the dataset's metadata. */
  options?: Record<string, unknown>
  records: RecordCreate[]
}

const TEXT: FieldCreate = { name: 'text', title: 'Text', required: true, settings: { type: 'text', use_markdown: false } }

export async function seed({ owner, workspaceId }: World, plan: Plan): Promise<string> {
  const dataset = await owner.createDataset({
    body: {
      name: plan.name,
      workspace_id: workspaceId,
      guidelines: plan.guidelines ?? null,
      distribution: { strategy: 'overlap', min_submitted: plan.minSubmitted ?? 1 },
      ...(plan.options ? { metadata: { postil: plan.options } } : {}),
    } as Parameters<Client['createDataset']>[0]['body'],
  })
  const params = { dataset_id: dataset.id }
  for (const body of plan.fields ?? [TEXT]) await owner.createField({ params, body })
  for (const body of plan.questions) await owner.createQuestion({ params, body })
  for (const body of plan.metadata ?? []) await owner.createMetadataProperty({ params, body })
  for (const body of plan.vectors ?? []) await owner.createVectorsSettings({ params, body })
  await owner.publishDataset({ params })
  for (let i = 0; i < plan.records.length; i += 500)
    await owner.createRecordsBulk({ params, body: { items: plan.records.slice(i, i + 500) } })
  return dataset.id
}

export const label = (name: string, values: string[], required = true): QuestionCreate => ({
  name,
  title: `Which ${name}`,
  required,
  settings: {
    type: 'label_selection',
    options: values.map(value => ({ value, text: value, description: null })),
    visible_options: null,
  },
})

export const texts = (count: number, text = (i: number) => `Record number ${i}`): RecordCreate[] =>
  Array.from({ length: count }, (_, i) => ({ fields: { text: text(i) }, external_id: `r-${i}` }))
