/** A server with a dataset that clients write to, and checks for after a fault. */
import type { DatasetRecord, RecordsBulk } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import { expect } from 'vitest'
import { type Caller, caller } from '../contract/http.ts'
import { LABELS, MARKERS, SOURCES, toCorpusRecord } from '../load/corpus.ts'
import { createMeasuredDataset, type MeasuredDataset } from '../load/dataset.ts'
import type { StartedServer } from '../server.ts'
import type { Ingest } from './ingest.ts'

const SEEDED = 40

export interface FaultWorld {
  dataset: MeasuredDataset
  /** Records from before the fault, which clients respond to. */
  recordIds: Id[]
}

export async function openFaultWorld(server: StartedServer): Promise<FaultWorld> {
  const dataset = await createMeasuredDataset(server)
  const items = Array.from({ length: SEEDED }, (_, i) => ({
    ...toCorpusRecord(i, dataset.questionId),
    external_id: `seed-${i}`,
  }))
  const owner = caller(server.url, server.apiKey)
  const created = await owner.done<RecordsBulk>(`POST /datasets/${dataset.id}/records/bulk`, { items })
  return { dataset, recordIds: created.items.map(({ id }) => id) }
}

const PAGE = 1_000

export async function listStored(owner: Caller, { id }: MeasuredDataset): Promise<DatasetRecord[]> {
  const records: DatasetRecord[] = []
  for (;;) {
    const path = `/datasets/${id}/records?limit=${PAGE}&include=responses&include=suggestions&offset=${records.length}`
    const { items } = await owner.done<{ items: DatasetRecord[] }>(`GET ${path}`)
    records.push(...items)
    if (items.length < PAGE) return records
  }
}

/** Expects that no acknowledged write is lost, and that searches find the stored records. */
export async function expectWhole(server: StartedServer, { dataset }: FaultWorld, ingest: Ingest): Promise<void> {
  const owner = caller(server.url, server.apiKey)
  const records = await listStored(owner, dataset)
  ingest.expectStored(records)
  await expectFound(owner, dataset, records)
}

/** Compares the counts of some searches with the stored records. */
export async function expectFound(owner: Caller, dataset: MeasuredDataset, records: readonly DatasetRecord[]): Promise<void> {
  const count = async (body: object) =>
    (await owner.done<{ total: number }>(`POST /datasets/${dataset.id}/records/search?limit=1`, body)).total
  const having = (test: (record: DatasetRecord) => boolean) => records.filter(test).length
  const found: Record<string, number> = {}
  const expected: Record<string, number> = {}
  for (const marker of Object.values(MARKERS)) {
    found[marker] = await count({ query: { text: { q: marker } } })
    expected[marker] = having(({ fields }) => String(fields.text).split(' ').includes(marker))
  }
  const terms = (scope: object, value: string) => ({ filters: { and: [{ type: 'terms', scope, values: [value] }] } })
  for (const source of SOURCES) {
    found[source] = await count(terms({ entity: 'metadata', metadata_property: 'source' }, source))
    expected[source] = having(({ metadata }) => metadata?.source === source)
  }
  for (const label of LABELS) {
    found[label] = await count(terms({ entity: 'response', question: 'topic' }, label))
    expected[label] = having(({ responses = [] }) => responses.some(({ values }) => values.topic?.value === label))
  }
  found.completed = await count(terms({ entity: 'record', property: 'status' }, 'completed'))
  expected.completed = having(({ status }) => status === 'completed')
  found.all = await count({})
  expected.all = records.length
  expect(found).toEqual(expected)
}

/** Returns a function for the lines that the server has printed since, without empty ones. */
export function openLines(server: Pick<StartedServer, 'output'>): () => string[] {
  const start = server.output().length
  return () =>
    server
      .output()
      .slice(start)
      .split('\n')
      .filter(line => line !== '')
}
