/**
 * Writes documents with bulk requests.
 *
 * Each document has the change number of its snapshot as version, and the engine rejects older versions. A late or second writer
 * therefore cannot overwrite newer data, and writing twice is harmless.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { EngineClient } from './client.ts'
import { BLOCKED, EngineUnavailable, IndexLost, isMissingIndex, isStatus, WritesRefused } from './errors.ts'
import { toWriteAlias } from './indexes.ts'
import type { RefusedDocument } from './states.ts'

/** Limits of a request, whichever is reached first. A request has at least one document. */
const REQUEST_BYTES = 4 * 1024 * 1024
const REQUEST_DOCUMENTS = 1_000
/** Retry delays for documents that an overloaded engine did not accept. */
const PAUSES_MS = [100, 300, 900, 2_000]

export interface DocumentWrite {
  recordNo: number
  /** For messages; null for deleted records. */
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

/** The index to write to. */
interface Target {
  client: EngineClient
  index: string
  /** True if the request also refreshes the affected shards, so that the documents are immediately searchable. */
  isRefreshed: boolean
}

/**
 * Returns the documents that the engine permanently rejects; their older versions are deleted from the index. Throws
 * EngineUnavailable if some could not be written yet, and IndexLost if the index does not exist.
 */
export async function writeDocuments(
  client: EngineClient,
  index: string,
  writes: readonly DocumentWrite[],
  { isRefreshed = false } = {},
): Promise<RefusedDocument[]> {
  const refused: RefusedDocument[] = []
  for (const part of toRequests(writes)) refused.push(...(await writePart({ client, index, isRefreshed }, part)))
  return refused
}

function* toRequests(writes: readonly DocumentWrite[]): Generator<DocumentWrite[]> {
  let part: DocumentWrite[] = []
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

async function writePart(target: Target, part: readonly DocumentWrite[]): Promise<RefusedDocument[]> {
  const refused: RefusedDocument[] = []
  let left = part
  for (const pauseMs of [...PAUSES_MS, null]) {
    const failures = await send(target, left)
    const forGood = failures.filter(({ item }) => !isTemporary(item))
    refused.push(...(await deleteRejected(target, forGood)))
    const later = failures.filter(({ item }) => isTemporary(item))
    if (later.length === 0) return refused
    if (pauseMs === null) throw toUnavailable(later)
    left = later.map(({ write }) => write)
    await delay(pauseMs)
  }
  return refused
}

interface Failure {
  write: DocumentWrite
  item: Item
}

async function send(target: Target, part: readonly DocumentWrite[]): Promise<Failure[]> {
  const { client, index, isRefreshed } = target
  const request = {
    method: 'POST',
    path: `/${toWriteAlias(index)}/_bulk`,
    query: { require_alias: true, filter_path: 'errors,items.*.status,items.*.error', ...(isRefreshed && { refresh: true }) },
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
    return [...(await send(target, part.slice(0, half))), ...(await send(target, part.slice(half)))]
  }
}

function toLines({ recordNo, json, version }: DocumentWrite): string {
  const action = JSON.stringify({
    [json === null ? 'delete' : 'index']: { _id: String(recordNo), version, version_type: 'external_gte' },
  })
  return json === null ? `${action}\n` : `${action}\n${json}\n`
}

function findFailures(part: readonly DocumentWrite[], items: BulkAnswer['items']): Failure[] {
  return part.flatMap((write, at) => {
    const item = Object.values(items[at] ?? {})[0]
    if (!item) throw new Error(`The search engine answered ${items.length} of ${part.length} items`)
    if (item.error?.type === 'index_not_found_exception') throw new IndexLost(`The index does not exist: ${item.error.reason}`)
    // A conflict means that the index has a newer version. Deleting a missing document returns 404 without an error.
    const isDone = item.status < 300 || item.status === 409 || (item.status === 404 && !item.error)
    return isDone ? [] : [{ write, item }]
  })
}

/** True for an overloaded engine, or an index that rejects writes because the disk is nearly full. */
const isTemporary = ({ status, error }: Item) => status === 429 || status >= 500 || error?.type === BLOCKED

const toReason = ({ status, error }: Item): string =>
  `${error?.type ?? status}: ${error?.reason ?? 'no reason given'}${error?.caused_by?.reason ? ` (${error.caused_by.reason})` : ''}`

function toUnavailable(failures: readonly Failure[]): EngineUnavailable {
  const { item } = failures[0] as Failure
  const reason = `The search engine does not take ${failures.length} documents: ${toReason(item)}`
  return item.error?.type === BLOCKED ? new WritesRefused(reason) : new EngineUnavailable(reason)
}

/** Deletes older versions of rejected documents, so that searches do not find them. */
async function deleteRejected(target: Target, failures: readonly Failure[]): Promise<RefusedDocument[]> {
  const stale = failures.filter(({ write }) => write.json !== null).map(({ write }) => ({ ...write, json: null }))
  if (stale.length > 0) await writePart(target, stale)
  return failures.map(({ write, item }) => ({
    record_id: write.recordId ?? String(write.recordNo),
    reason: toReason(item).slice(0, 300),
  }))
}
