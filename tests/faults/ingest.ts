/**
 * Clients that keep writing during a fault, with retries, and track what must be stored.
 *
 * Upserts and responses are retried until they are acknowledged. A bulk request that creates records is sent once: without a
 * response it may be stored or not, but only completely.
 */
import { setTimeout } from 'node:timers/promises'
import type { DatasetRecord } from '@postil/domain/records'
import { expect } from 'vitest'
import { LABELS, toCorpusRecord } from '../load/corpus.ts'
import type { MeasuredDataset } from '../load/dataset.ts'

const RECORDS_PER_CALL = 20
const RETRY_MS = 100
/** Pause between two requests of a client, because an engine that was down must catch up with the writes. */
const PAUSE_MS = 100
/**
 * Number of requests beyond those that a test waits for, so that clients always write, but the amount does not grow on a slow
 * machine.
 */
const CALLS_AHEAD = 20
/** Client timeout. */
const ANSWER_TIMEOUT_MS = 60_000
/** Statuses that a server may return during a fault. */
const RETRIED = new Set([429, 503])

export interface Target {
  urls: readonly string[]
  apiKey: string
}

/** A bulk request with the external ids of its records. */
interface Bulk {
  keys: string[]
  /** False if it is unknown whether the request was stored. */
  isAnswered: boolean
}

export interface Ingest {
  /** Number of acknowledged requests. */
  answered(): number
  /** Number of requests that failed or were temporarily refused. */
  failed(): number
  /** Body of the last 503 response. */
  lastRefusal(): string
  /** Waits until this many more requests are acknowledged. */
  more(calls: number): Promise<void>
  /** Stops after the requests in flight, which must be acknowledged. */
  stop(): Promise<void>
  /** Compares the stored records with the acknowledged writes. */
  expectStored(records: readonly DatasetRecord[]): void
}

interface Progress {
  /** Number of attempts. Each goes to the next server. */
  turns: number
  answered: number
  /** Number of acknowledged requests after which clients wait for `more`. */
  allowed: number
  failed: number
  lastRefusal: string
  isStopped: boolean
  /** Unexpected statuses, with their bodies. */
  wrong: string[]
  bulks: Bulk[]
  /** Label of the last acknowledged response by record id. */
  labels: Map<string, string>
}

export function startIngest(
  target: Target,
  dataset: MeasuredDataset,
  writers: number,
  answeredIds: readonly string[] = [],
): Ingest {
  const progress: Progress = {
    turns: 0,
    answered: 0,
    allowed: CALLS_AHEAD,
    failed: 0,
    lastRefusal: '',
    isStopped: false,
    wrong: [],
    bulks: [],
    labels: new Map(),
  }
  const loops = Array.from({ length: writers }, (_, no) => writeRecords(target, dataset, progress, no + 1))
  if (answeredIds.length > 0) loops.push(writeResponses(target, progress, answeredIds))
  const running = Promise.all(loops)
  return {
    answered: () => progress.answered,
    failed: () => progress.failed,
    lastRefusal: () => progress.lastRefusal,
    more: async calls => {
      const wanted = progress.answered + calls
      progress.allowed = wanted + CALLS_AHEAD
      while (progress.answered < wanted && progress.wrong.length === 0) await setTimeout(20)
    },
    stop: async () => {
      progress.isStopped = true
      await running
      expect(progress.wrong.slice(0, 3), 'answers that nothing explains').toEqual([])
    },
    expectStored: records => expectStored(progress, records),
  }
}

/** Waits for the next turn. Returns false if the ingest is stopped. */
async function isTurn(progress: Progress): Promise<boolean> {
  await setTimeout(PAUSE_MS)
  while (!progress.isStopped && progress.answered >= progress.allowed) await setTimeout(20)
  return !progress.isStopped
}

async function writeRecords(target: Target, dataset: MeasuredDataset, progress: Progress, no: number): Promise<void> {
  for (let call = 0; await isTurn(progress); call++) {
    const first = no * 1_000_000 + call * RECORDS_PER_CALL
    const items = Array.from({ length: RECORDS_PER_CALL }, (_, at) => toCorpusRecord(first + at, dataset.questionId))
    const bulk: Bulk = { keys: items.map(item => item.external_id), isAnswered: false }
    progress.bulks.push(bulk)
    // Every fourth request is a creation, which is not retried.
    const method = call % 4 === 3 ? 'POST' : 'PUT'
    const send = () => request(target, progress.turns++, `${method} /api/v1/datasets/${dataset.id}/records/bulk`, { items })
    bulk.isAnswered = (await (method === 'PUT' ? untilAnswered(progress, send) : once(progress, send))) !== null
  }
}

async function writeResponses(target: Target, progress: Progress, recordIds: readonly string[]): Promise<void> {
  for (let call = 0; await isTurn(progress); call++) {
    const record_id = recordIds[call % recordIds.length] ?? ''
    const label = LABELS[call % LABELS.length] ?? ''
    const body = { items: [{ record_id, status: 'submitted', values: { topic: { value: label } } }] }
    await untilAnswered(progress, () => request(target, progress.turns++, 'POST /api/v1/me/responses/bulk', body))
    progress.labels.set(record_id, label)
  }
}

interface Answered {
  status: number
  text: string
}

/** Returns null if the connection failed. */
async function request({ urls, apiKey }: Target, turn: number, call: string, body: object): Promise<Answered | null> {
  const [method = '', path = ''] = call.split(' ')
  const url = urls[turn % urls.length] ?? ''
  try {
    const answer = await fetch(url + path, {
      method,
      headers: { 'x-argilla-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    // The server was killed or does not respond, so it is unknown whether the write was stored.
    if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) return null
    throw error
  }
}

async function untilAnswered(progress: Progress, send: () => Promise<Answered | null>): Promise<Answered | null> {
  const end = Date.now() + 300_000
  while (Date.now() < end) {
    const answer = await once(progress, send)
    if (answer !== null || progress.wrong.length > 0) return answer
    await setTimeout(RETRY_MS)
  }
  progress.wrong.push('not answered within five minutes')
  return null
}

/** Returns the response if it is a success. */
async function once(progress: Progress, send: () => Promise<Answered | null>): Promise<Answered | null> {
  const answer = await send()
  if (answer !== null && answer.status < 300) {
    progress.answered++
    return answer
  }
  progress.failed++
  if (answer?.status === 503) progress.lastRefusal = answer.text
  if (answer !== null && !RETRIED.has(answer.status)) {
    progress.wrong.push(`${answer.status} ${answer.text.slice(0, 500)}`)
    progress.isStopped = true
  }
  return null
}

function expectStored({ bulks, labels }: Progress, records: readonly DatasetRecord[]): void {
  const stored = new Map(records.map(record => [record.external_id ?? '', record]))
  const count = ({ keys }: Bulk) => keys.filter(key => stored.has(key)).length
  const lost = bulks.filter(bulk => bulk.isAnswered && count(bulk) < bulk.keys.length)
  expect(
    lost.map(({ keys }) => keys[0]),
    'bulks that were answered and are not stored',
  ).toEqual([])
  const torn = bulks.filter(bulk => ![0, bulk.keys.length].includes(count(bulk)))
  expect(
    torn.map(({ keys }) => keys[0]),
    'bulks that are stored in part',
  ).toEqual([])
  const known = new Set(bulks.flatMap(({ keys }) => keys))
  const written = records.filter(({ external_id }) => !external_id?.startsWith('seed-'))
  expect(written.filter(({ external_id }) => !known.has(external_id ?? '')).length, 'records that nobody has sent').toBe(0)
  expect(new Set(written.map(({ external_id }) => external_id)).size, 'external ids').toBe(written.length)
  const answers = new Map(records.flatMap(({ id, responses = [] }) => responses.map(({ values }) => [id, values.topic?.value])))
  expect(
    [...labels].filter(([id, label]) => answers.get(id) !== label),
    'responses that were answered and are not stored',
  ).toEqual([])
}
