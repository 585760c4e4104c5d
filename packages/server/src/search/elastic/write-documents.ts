/**
 * Writes documents with bulk requests.
 *
 * Each has the change number of the snapshot that it was read in as its version, and the engine refuses older versions than it has. So a late
 * or a second writer cannot undo what is newer, and writing twice is harmless.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { EngineClient } from './client.ts'
import { BLOCKED, EngineUnavailable, IndexLost, isMissingIndex, isStatus, WritesRefused } from './errors.ts'
import { toWriteAlias } from './indexes.ts'
import type { Refused } from './states.ts'

/** A request ends at the limit that is reached first, and has at least one document. */
const REQUEST_BYTES = 4 * 1024 * 1024
const REQUEST_DOCUMENTS = 1_000
/** Documents that an overloaded engine did not take are sent again after these pauses. */
const PAUSES_MS = [100, 300, 900, 2_000]

export interface Write {
  recordNo: number
  /** For messages; null for records that are deleted. */
  recordId: string | null
  /** The document as JSON; null to delete it. */
  json: string | null
  version: number
}

interface Item {
  status: number
  error?: { type?: string; reason?: string; caused_by?: { reason?: string } }
}

interface BulkAnswer {
  errors: boolean
  items: { [action: string]: Item }[]
}

/**
 * Answers the documents that the engine refuses for good; what the index had of them is deleted. Throws EngineUnavailable if some could not be
 * written by now, and IndexLost if the index is gone.
 */
export async function writeDocuments(client: EngineClient, index: string, writes: readonly Write[]): Promise<Refused[]> {
  const refused: Refused[] = []
  for (const part of toRequests(writes)) refused.push(...(await writePart(client, index, part)))
  return refused
}

function* toRequests(writes: readonly Write[]): Generator<Write[]> {
  let part: Write[] = []
  let bytes = 0
  for (const write of writes) {
    const size = write.json?.length ?? 0
    if (part.length > 0 && (part.length === REQUEST_DOCUMENTS || bytes + size > REQUEST_BYTES)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(write)
    bytes += size
  }
  if (part.length > 0) yield part
}

async function writePart(client: EngineClient, index: string, part: readonly Write[]): Promise<Refused[]> {
  const refused: Refused[] = []
  let left = part
  for (const pauseMs of [...PAUSES_MS, null]) {
    const failures = await send(client, index, left)
    const forGood = failures.filter(({ item }) => !isTemporary(item))
    refused.push(...(await giveUp(client, index, forGood)))
    const later = failures.filter(({ item }) => isTemporary(item))
    if (later.length === 0) return refused
    if (pauseMs === null) throw toUnavailable(later)
    left = later.map(({ write }) => write)
    await delay(pauseMs)
  }
  return refused
}

interface Failure {
  write: Write
  item: Item
}

async function send(client: EngineClient, index: string, part: readonly Write[]): Promise<Failure[]> {
  const request = {
    method: 'POST',
    path: `/${toWriteAlias(index)}/_bulk`,
    query: { require_alias: true, filter_path: 'errors,items.*.status,items.*.error' },
    lines: part.map(toLines).join(''),
  } as const
  try {
    const { errors, items } = await client.request<BulkAnswer>(request)
    return errors ? findFailures(part, items) : []
  } catch (error) {
    if (isMissingIndex(error)) throw new IndexLost(`Index ${index} does not exist`)
    if (!isStatus(error, 413)) throw error
    if (part.length === 1)
      return part.map(write => ({ write, item: { status: 413, error: { reason: 'larger than the engine accepts' } } }))
    const half = Math.ceil(part.length / 2)
    return [...(await send(client, index, part.slice(0, half))), ...(await send(client, index, part.slice(half)))]
  }
}

function toLines({ recordNo, json, version }: Write): string {
  const action = JSON.stringify({
    [json === null ? 'delete' : 'index']: { _id: String(recordNo), version, version_type: 'external_gte' },
  })
  return json === null ? `${action}\n` : `${action}\n${json}\n`
}

function findFailures(part: readonly Write[], items: BulkAnswer['items']): Failure[] {
  return part.flatMap((write, at) => {
    const item = Object.values(items[at] ?? {})[0]
    if (!item) throw new Error(`The search engine answered ${items.length} of ${part.length} items`)
    if (item.error?.type === 'index_not_found_exception') throw new IndexLost(`The index does not exist: ${item.error.reason}`)
    // A conflict: the index has a newer version. Deleting what is not there is answered with 404, without an error.
    const isDone = item.status < 300 || item.status === 409 || (item.status === 404 && !item.error)
    return isDone ? [] : [{ write, item }]
  })
}

/** An overloaded engine, or an index that cannot be written because the disk is nearly full. */
const isTemporary = ({ status, error }: Item) => status === 429 || status >= 500 || error?.type === BLOCKED

const toReason = ({ status, error }: Item): string =>
  `${error?.type ?? status}: ${error?.reason ?? 'no reason given'}${error?.caused_by?.reason ? ` (${error.caused_by.reason})` : ''}`

function toUnavailable(failures: readonly Failure[]): EngineUnavailable {
  const { item } = failures[0] as Failure
  const reason = `The search engine does not take ${failures.length} documents: ${toReason(item)}`
  return item.error?.type === BLOCKED ? new WritesRefused(reason) : new EngineUnavailable(reason)
}

/** An older version of a refused document must not be found. */
async function giveUp(client: EngineClient, index: string, failures: readonly Failure[]): Promise<Refused[]> {
  const stale = failures.filter(({ write }) => write.json !== null).map(({ write }) => ({ ...write, json: null }))
  if (stale.length > 0) await writePart(client, index, stale)
  return failures.map(({ write, item }) => ({
    record_id: write.recordId ?? String(write.recordNo),
    reason: toReason(item).slice(0, 300),
  }))
}
