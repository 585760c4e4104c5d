/** A client that creates, upserts and deletes records in bulk and tracks what must be stored. */
import type { DatasetRecord } from '@postil/domain/records'
import { expect } from 'vitest'
import { MARKERS, openRandom, toCorpusRecord } from '../load/corpus.ts'
import type { MeasuredDataset } from '../load/dataset.ts'
import type { Connection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import { createLedger, type Step } from './ledger.ts'
import type { Client } from './moments.ts'
import type { Reads } from './open-copy.ts'

/** Number of records that are always written together. */
const RECORDS_PER_GROUP = 5

interface WriterOptions {
  /** Unique per writer, so that no two write the same records. */
  no: number
  apiKey: string
  /** Maximum number of groups of records, because each moment is followed by a comparison of all of them. */
  groupsMax: number
  groupsPerCallMax: number
}

export class RecordWriter implements Client {
  readonly apiKey: string
  readonly #dataset: MeasuredDataset
  readonly #options: WriterOptions
  readonly #random: () => number
  /** By external id. */
  readonly #ledger = createLedger<object>()
  /** External id -> id. */
  #ids = new Map<string, string>()
  #calls = 0

  constructor(dataset: MeasuredDataset, options: WriterOptions) {
    this.apiKey = options.apiKey
    this.#dataset = dataset
    this.#options = options
    this.#random = openRandom(options.no)
  }

  async write(connection: Connection): Promise<void> {
    this.#calls++
    const { groupsMax, groupsPerCallMax } = this.#options
    const groups = new Set(Array.from({ length: 1 + this.#pick(groupsPerCallMax) }, () => this.#pick(groupsMax)))
    const [first = 0] = groups
    if (this.#isStored(first) && this.#random() < 0.2) return this.#delete(connection, this.#toKeys(first))
    const absent = [...groups].filter(group => !this.#isStored(group))
    if (absent.length > 0 && this.#random() < 0.5) return this.#send(connection, 'POST', absent)
    return this.#send(connection, 'PUT', [...groups])
  }

  /** Compares the records of this writer with its acknowledged writes. After a kill, it continues from what is stored. */
  compare(records: readonly DatasetRecord[], moment: 'copy' | 'kill'): void {
    const own = records.filter(({ external_id }) => external_id?.startsWith(`${this.#options.no}-`))
    const stored = new Map(own.map(record => [record.external_id ?? '', toContent(record)]))
    if (moment === 'copy') {
      this.#ledger.check(stored)
      return
    }
    this.#ids = new Map(own.map(({ external_id, id }) => [external_id ?? '', id]))
    this.#ledger.settle(stored)
  }

  #pick(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #toKeys(group: number): string[] {
    return Array.from({ length: RECORDS_PER_GROUP }, (_, i) => `${this.#options.no}-${group}-${i}`)
  }

  #isStored(group: number): boolean {
    return this.#ids.has(this.#toKeys(group)[0] ?? '')
  }

  async #send(connection: Connection, method: 'POST' | 'PUT', groups: readonly number[]): Promise<void> {
    // Unique content for this request.
    const first = this.#options.no * 10_000_000 + this.#calls * 1_000
    const keys = groups.flatMap(group => this.#toKeys(group))
    const items = keys.map((external_id, i) => ({ ...toCorpusRecord(first + i, this.#dataset.questionId), external_id }))
    const step: Step<object> = new Map(items.map(item => [item.external_id, item]))
    await this.#ledger.write([step], async () => {
      const path = `/api/v1/datasets/${this.#dataset.id}/records/bulk`
      const answer = check(await connection.send(method, path, JSON.stringify({ items })))
      for (const { external_id, id } of JSON.parse(answer.body.toString()).items) this.#ids.set(external_id, id)
    })
  }

  async #delete(connection: Connection, keys: readonly string[]): Promise<void> {
    const step: Step<object> = new Map(keys.map(key => [key, null]))
    await this.#ledger.write([step], async () => {
      const ids = keys.map(key => this.#ids.get(key)).join()
      check(await connection.send('DELETE', `/api/v1/datasets/${this.#dataset.id}/records?ids=${ids}`))
      for (const key of keys) this.#ids.delete(key)
    })
  }
}

/** Returns the part of a record that was sent. */
function toContent({ external_id, fields, metadata, suggestions = [], vectors }: DatasetRecord): object {
  const sent = suggestions.map(({ question_id, value, score, agent }) => ({ question_id, value, score, agent }))
  return { external_id, fields, metadata, suggestions: sent, vectors }
}

/** Every acknowledged write is stored, and searches find the stored records. */
export async function expectStored(reads: Reads, writers: readonly RecordWriter[], moment: 'copy' | 'kill'): Promise<void> {
  const records = await reads.list(['suggestions', 'vectors'])
  for (const writer of writers) writer.compare(records, moment)
  for (const marker of Object.values(MARKERS)) {
    const marked = records.filter(({ fields }) => String(fields.text).split(' ').includes(marker))
    expect(await reads.countFound(marker), `records found by ${marker}`).toBe(marked.length)
  }
}
