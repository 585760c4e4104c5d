/** A user who responds to records, one by one and in bulk, and tracks what must be stored. */
import type { DatasetRecord } from '@postil/domain/records'
import { RESPONSE_STATUSES, type RecordResponse } from '@postil/domain/responses'
import { expect } from 'vitest'
import { LABELS, openRandom } from '../load/corpus.ts'
import type { Connection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import { createLedger } from './ledger.ts'
import type { Client } from './moments.ts'

const ITEMS_MAX = 30

type Content = Pick<RecordResponse, 'status' | 'values'>

interface ResponderOptions {
  no: number
  userId: string
  apiKey: string
  recordIds: readonly string[]
}

export class Responder implements Client {
  readonly apiKey: string
  readonly #options: ResponderOptions
  readonly #random: () => number
  /** By record. */
  readonly #ledger = createLedger<Content>()
  /** Record -> response. */
  #ids = new Map<string, string>()
  #writes = 0
  #submitted = 0

  constructor(options: ResponderOptions) {
    this.apiKey = options.apiKey
    this.#options = options
    this.#random = openRandom(options.no)
  }

  async write(connection: Connection): Promise<void> {
    if (this.#random() < 0.3) return this.#answerSome(connection)
    const recordId = this.#pick(this.#options.recordIds)
    const responseId = this.#ids.get(recordId)
    if (responseId === undefined) return this.#answer(connection, recordId, `POST /api/v1/records/${recordId}/responses`)
    if (this.#random() < 0.2) return this.#delete(connection, recordId, responseId)
    return this.#answer(connection, recordId, `PUT /api/v1/responses/${responseId}`)
  }

  /** Number of submitted responses at the last comparison. */
  submitted(): number {
    return this.#submitted
  }

  /** Compares the responses of this user with the acknowledged writes. After a kill, it continues from what is stored. */
  compare(records: readonly DatasetRecord[], moment: 'copy' | 'kill'): void {
    const own = records.flatMap(({ responses = [] }) => responses.filter(({ user_id }) => user_id === this.#options.userId))
    const stored = new Map(own.map(({ record_id, status, values }) => [record_id, { status, values }]))
    this.#submitted = own.filter(({ status }) => status === 'submitted').length
    if (moment === 'copy') {
      this.#ledger.check(stored)
      return
    }
    this.#ids = new Map(own.map(({ record_id, id }) => [record_id, id]))
    this.#ledger.settle(stored)
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T
  }

  /** Returns content that is unique per write. */
  #newContent(): Content {
    const comment = `${this.#options.no} wrote ${++this.#writes}`
    return {
      status: this.#pick(RESPONSE_STATUSES),
      values: { topic: { value: this.#pick(LABELS) }, comment: { value: comment } },
    }
  }

  async #answer(connection: Connection, recordId: string, request: string): Promise<void> {
    const [method = '', path = ''] = request.split(' ')
    const content = this.#newContent()
    await this.#ledger.write([new Map([[recordId, content]])], async () => {
      const { body } = check(await connection.send(method, path, JSON.stringify(content)))
      this.#ids.set(recordId, JSON.parse(body.toString()).id)
    })
  }

  async #delete(connection: Connection, recordId: string, responseId: string): Promise<void> {
    await this.#ledger.write([new Map([[recordId, null]])], async () => {
      check(await connection.send('DELETE', `/api/v1/responses/${responseId}`))
      this.#ids.delete(recordId)
    })
  }

  /** Each item of a bulk request is a separate write. */
  async #answerSome(connection: Connection): Promise<void> {
    const chosen = new Set(Array.from({ length: ITEMS_MAX }, () => this.#pick(this.#options.recordIds)))
    const contents = [...chosen].map((recordId): [string, Content] => [recordId, this.#newContent()])
    const steps = contents.map(content => new Map([content]))
    await this.#ledger.write(steps, async () => {
      const body = JSON.stringify({ items: contents.map(([record_id, content]) => ({ record_id, ...content })) })
      const { items } = JSON.parse(check(await connection.send('POST', '/api/v1/me/responses/bulk', body)).body.toString())
      for (const { item, error } of items) {
        expect(error).toBeNull()
        this.#ids.set(item.record_id, item.id)
      }
    })
  }
}
