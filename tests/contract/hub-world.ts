/** Datasets for imports from and exports to the loopback hub. */
import type { JobDetails, JobPage } from '@postil/domain/jobs'
import type { DatasetRecord } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { type ColumnSource, parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer'
import { expect, vi } from 'vitest'
import type { Caller, World } from './http.ts'

export const TOKEN = 'hf_test'

export interface Columns {
  columnData: ColumnSource[]
  schema?: SchemaElement[]
  features?: Record<string, unknown>
  rowGroupSize?: number
  codec?: 'UNCOMPRESSED'
}

/** Returns a Parquet file like those of the hub's library. */
export const toParquet = ({ features, ...columns }: Columns): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      ...columns,
      ...(features && { kvMetadata: [{ key: 'huggingface', value: JSON.stringify({ info: { features } }) }] }),
    }),
  )

export async function readParquet(bytes: Buffer) {
  const file = new Uint8Array(bytes).buffer
  const metadata = await parquetMetadataAsync(file)
  return { metadata, rows: await parquetReadObjects({ file, metadata, utf8: false }) }
}

interface DatasetOptions {
  fields?: { name: string; type: string; required?: boolean }[]
  questions?: { name: string; settings: object; required?: boolean }[]
  metadata?: { name: string; settings: object }[]
  vectors?: { name: string; dimensions: number }[]
  isDraft?: boolean
}

const options = (...values: (string | number)[]) =>
  values.map(value => (typeof value === 'number' ? { value } : { value, text: value }))

export const QUESTIONS = {
  label: { type: 'label_selection', options: options('neg', 'pos') },
  labels: { type: 'multi_label_selection', options: options('a', 'b', 'c') },
  comment: { type: 'text' },
  rating: { type: 'rating', options: options(1, 2, 3, 4, 5) },
  ranking: { type: 'ranking', options: options('x', 'y') },
  span: { type: 'span', field: 'text', options: options('thing') },
}

let number = 0

export async function aHubDataset(caller: Caller, workspaceId: Id, given: DatasetOptions = {}): Promise<Id> {
  const { fields = [{ name: 'text', type: 'text' }], metadata = [], vectors = [] } = given
  const { questions = [{ name: 'label', settings: QUESTIONS.label }] } = given
  const dataset = await caller.done<{ id: Id }>('POST /datasets', { name: `hub ${++number}`, workspace_id: workspaceId })
  const path = `/datasets/${dataset.id}`
  for (const [index, { name, type, required = index === 0 }] of fields.entries()) {
    const settings = { type, ...(type === 'custom' && { template: '<b></b>' }) }
    await caller.done(`POST ${path}/fields`, { name, title: name, required, settings })
  }
  for (const [index, { name, settings, required = index === 0 }] of questions.entries()) {
    await caller.done(`POST ${path}/questions`, { name, title: name, required, settings })
  }
  for (const { name, settings } of metadata)
    await caller.done(`POST ${path}/metadata-properties`, { name, title: name, settings })
  for (const { name, dimensions } of vectors)
    await caller.done(`POST ${path}/vectors-settings`, { name, title: name, dimensions })
  if (!given.isDraft) await caller.done(`PUT ${path}/publish`)
  return dataset.id
}

export const findJob = async ({ owner }: World, id: Id): Promise<JobDetails> => {
  const found = (await owner.done<JobPage>('GET /jobs')).items.find(job => job.id === id)
  if (!found) throw new Error(`no job ${id}`)
  return found
}

const ENDED = ['finished', 'failed', 'canceled']

export function untilEnded(world: World, id: Id): Promise<JobDetails> {
  return vi.waitFor(
    async () => {
      const job = await findJob(world, id)
      expect(ENDED).toContain(job.status)
      return job
    },
    { timeout: 120_000, interval: 50 },
  )
}

export const listRecords = async (caller: Caller, datasetId: Id): Promise<DatasetRecord[]> => {
  const page = `/datasets/${datasetId}/records?limit=1000&include=suggestions&include=responses&include=vectors`
  return (await caller.done<{ items: DatasetRecord[] }>(`GET ${page}`)).items
}
