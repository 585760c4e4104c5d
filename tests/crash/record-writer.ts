/** A client that creates, upserts and deletes records in bulk, and knows what must be stored of them. */
import type { DatasetRecord } from '@postil/domain/records'
import { expect } from 'vitest'
import { MARKERS, openRandom, toCorpusRecord } from '../load/corpus.ts'
import type { MeasuredDataset } from '../load/dataset.ts'
import { type Connection, openConnection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import type { StartedServer } from '../server.ts'
import type { Client } from './kills.ts'
import { openLedger, type Step } from './ledger.ts'

/** Records that are written together, always. */
const RECORDS_PER_GROUP = 10

interface WriterOptions {
  /** Different for each writer of a test: no two write the same records. */
  no: number
  apiKey: string
  /** So many groups of records exist at most: every kill is followed by a comparison of all of them. */
  groupsMax: number
  groupsPerCallMax: number
}

export interface RecordWriter extends Client {
  /** Compares the records of this writer with what was answered. */
  settle(records: readonly DatasetRecord[]): void
}

export function openRecordWriter(dataset: MeasuredDataset, options: WriterOptions): RecordWriter {
  const random = openRandom(options.no)
  const ledger = openLedger<object>()
  const path = `/api/v1/datasets/${dataset.id}/records`
  /** External id -> id. */
  let ids = new Map<string, string>()
  let calls = 0

  const pick = (limit: number) => Math.floor(random() * limit)
  const toKeys = (group: number) => Array.from({ length: RECORDS_PER_GROUP }, (_, i) => `${options.no}-${group}-${i}`)
  const isStored = (group: number) => ledger.answered().has(toKeys(group)[0] ?? '')

  async function write(connection: Connection): Promise<void> {
    calls++
    const groups = new Set(Array.from({ length: 1 + pick(options.groupsPerCallMax) }, () => pick(options.groupsMax)))
    const [first = 0] = groups
    if (isStored(first) && random() < 0.2) return remove(connection, toKeys(first))
    const news = [...groups].filter(group => !isStored(group))
    // Bulks with old and new records are upserts, the others are half and half.
    if (news.length > 0 && random() < 0.5) return put(connection, 'POST', news)
    return put(connection, 'PUT', [...groups])
  }

  async function put(connection: Connection, method: 'POST' | 'PUT', groups: readonly number[]): Promise<void> {
    // Content that no other call writes.
    const first = options.no * 10_000_000 + calls * 1_000
    const items = groups
      .flatMap(toKeys)
      .map((external_id, i) => ({ ...toCorpusRecord(first + i, dataset.questionId), external_id }))
    const step: Step<object> = new Map(items.map(item => [item.external_id, item]))
    await ledger.write([step], async () => {
      const answer = check(await connection.send(method, `${path}/bulk`, JSON.stringify({ items })))
      for (const { external_id, id } of JSON.parse(answer.body.toString()).items) ids.set(external_id, id)
    })
  }

  async function remove(connection: Connection, keys: readonly string[]): Promise<void> {
    const step: Step<object> = new Map(keys.map(key => [key, null]))
    await ledger.write([step], async () => {
      check(await connection.send('DELETE', `${path}?ids=${keys.map(key => ids.get(key)).join()}`))
    })
  }

  return {
    apiKey: options.apiKey,
    write,
    settle: records => {
      const own = records.filter(({ external_id }) => external_id?.startsWith(`${options.no}-`))
      ids = new Map(own.map(({ external_id, id }) => [external_id ?? '', id]))
      ledger.settle(new Map(own.map(record => [record.external_id ?? '', toContent(record)])))
    },
  }
}

/** What was sent. */
function toContent({ external_id, fields, metadata, suggestions = [], vectors }: DatasetRecord): object {
  const sent = suggestions.map(({ question_id, value, score, agent }) => ({ question_id, value, score, agent }))
  return { external_id, fields, metadata, suggestions: sent, vectors }
}

/** After a kill and a start: every answered write is there, and searches find what is stored. */
export async function expectStored(
  server: StartedServer,
  dataset: MeasuredDataset,
  writers: readonly RecordWriter[],
): Promise<void> {
  const connection = await openConnection(server.url, server.apiKey)
  const records = await listAll(connection, dataset)
  for (const writer of writers) writer.settle(records)
  for (const marker of Object.values(MARKERS)) {
    const marked = records.filter(({ fields }) => String(fields.text).split(' ').includes(marker))
    expect(await countFound(connection, dataset, marker), `records found by ${marker}`).toBe(marked.length)
  }
  connection.close()
}

const PAGE = 1_000

async function listAll(connection: Connection, { id }: MeasuredDataset): Promise<DatasetRecord[]> {
  const records: DatasetRecord[] = []
  for (let offset = 0; ; offset += PAGE) {
    const path = `/api/v1/datasets/${id}/records?limit=${PAGE}&include=suggestions&include=vectors&offset=${offset}`
    const { items } = JSON.parse(check(await connection.send('GET', path)).body.toString())
    records.push(...items)
    if (items.length < PAGE) return records
  }
}

async function countFound(connection: Connection, { id }: MeasuredDataset, word: string): Promise<number> {
  const body = JSON.stringify({ query: { text: { q: word } } })
  const answer = check(await connection.send('POST', `/api/v1/datasets/${id}/records/search?limit=1`, body))
  return JSON.parse(answer.body.toString()).total
}
