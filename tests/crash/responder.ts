/** A person who answers records, one by one and in bulk, and knows what must be stored of it. */
import type { DatasetRecord } from '@postil/domain/records'
import { RESPONSE_STATUSES, type RecordResponse } from '@postil/domain/responses'
import { expect } from 'vitest'
import { LABELS, openRandom } from '../load/corpus.ts'
import type { Connection } from '../load/http-client.ts'
import { check } from '../load/measure.ts'
import type { Client } from './kills.ts'
import { openLedger } from './ledger.ts'

const ITEMS_MAX = 30

type Content = Pick<RecordResponse, 'status' | 'values'>

interface ResponderOptions {
  no: number
  userId: string
  apiKey: string
  recordIds: readonly string[]
}

export interface Responder extends Client {
  userId: string
  /** How many of their responses are submitted. */
  submitted(): number
  /** Compares the responses of this person with what was answered. */
  settle(records: readonly DatasetRecord[]): void
}

export function openResponder({ no, userId, apiKey, recordIds }: ResponderOptions): Responder {
  const random = openRandom(no)
  /** By record. */
  const ledger = openLedger<Content>()
  let ids = new Map<string, string>()
  let writes = 0

  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T

  /** Content that no other write has. */
  const newContent = (): Content => {
    const values = { topic: { value: pick(LABELS) }, comment: { value: `${no} wrote ${++writes}` } }
    return { status: pick(RESPONSE_STATUSES), values }
  }

  async function write(connection: Connection): Promise<void> {
    const recordId = pick(recordIds)
    const responseId = ids.get(recordId)
    if (random() < 0.3) return answerSome(connection)
    if (responseId === undefined) return answer(connection, recordId, `POST /api/v1/records/${recordId}/responses`)
    if (random() < 0.2) return remove(connection, recordId, responseId)
    return answer(connection, recordId, `PUT /api/v1/responses/${responseId}`)
  }

  async function answer(connection: Connection, recordId: string, request: string): Promise<void> {
    const [method = '', path = ''] = request.split(' ')
    const content = newContent()
    await ledger.write([new Map([[recordId, content]])], async () => {
      const { body } = check(await connection.send(method, path, JSON.stringify(content)))
      ids.set(recordId, JSON.parse(body.toString()).id)
    })
  }

  async function remove(connection: Connection, recordId: string, responseId: string): Promise<void> {
    await ledger.write([new Map([[recordId, null]])], async () => {
      check(await connection.send('DELETE', `/api/v1/responses/${responseId}`))
      ids.delete(recordId)
    })
  }

  /** Each item of a bulk is a write of its own. */
  async function answerSome(connection: Connection): Promise<void> {
    const chosen = new Set(Array.from({ length: 1 + Math.floor(random() * ITEMS_MAX) }, () => pick(recordIds)))
    const contents = [...chosen].map((recordId): [string, Content] => [recordId, newContent()])
    const steps = contents.map(content => new Map([content]))
    await ledger.write(steps, async () => {
      const body = JSON.stringify({ items: contents.map(([record_id, content]) => ({ record_id, ...content })) })
      const { items } = JSON.parse(check(await connection.send('POST', '/api/v1/me/responses/bulk', body)).body.toString())
      for (const { item, error } of items) {
        expect(error).toBeNull()
        ids.set(item.record_id, item.id)
      }
    })
  }

  return {
    userId,
    apiKey,
    write,
    submitted: () => [...ledger.answered().values()].filter(({ status }) => status === 'submitted').length,
    settle: records => {
      const own = records.flatMap(({ responses = [] }) => responses.filter(({ user_id }) => user_id === userId))
      ids = new Map(own.map(({ record_id, id }) => [record_id, id]))
      ledger.settle(new Map(own.map(({ record_id, status, values }) => [record_id, { status, values }])))
    },
  }
}
