/**
 * The progress of each dataset's index, and the process that works on it. Stored in the cluster beside the indexes, so that an
 * index and its state are lost and restored together.
 *
 * Only one process at a time works on an index: the holder of its lease. A lease is a name in the state, which the holder
 * rewrites periodically. If a state has not changed for `LEASE_MS` by a process's own clock, that process takes over the lease,
 * so clocks of different machines need not agree. Every write specifies the version of the state that it replaces, so a former
 * holder detects the takeover.
 */
import { randomUUID } from 'node:crypto'
import type { EngineClient } from './client.ts'
import { EngineError, isMissingIndex, isStatus, LeaseLost } from './errors.ts'

const LEASE_MS = 4_000
const RENEW_MS = 1_000

export interface IndexState {
  /** The index to search; null before the first one is created. */
  index: string | null
  /** The index includes all entries of the dataset's log up to this one, except for the records of `fill`. */
  change_no: number
  /** Time of that entry. A different time means a different log, for example after a restore. Null if unknown. */
  change_at: string | null
  /** The settings for which the mapping and the documents are built (settings-stamp.ts). */
  settings: string | null
  /** Records that must still be read: those with higher numbers than `after`. */
  fill: Fill | null
  /** Documents that the engine permanently rejects. */
  refused: RefusedDocument[]
}

export interface Fill {
  after: number
  /** Ids of the settings whose values are missing in these records; null if the records are not in the index at all. */
  ids: string[] | null
}

export interface RefusedDocument {
  record_id: string
  reason: string
}

export interface StoredState extends IndexState {
  /** The version that a write must specify. */
  seqNo: number
  primaryTerm: number
  holder: string | null
}

/** A lease that this process holds. */
export interface HeldState {
  readonly state: IndexState
  /** Writes a part of the state, which also renews the lease. Throws LeaseLost. */
  save(changes: Partial<IndexState>): Promise<void>
  /** Throws LeaseLost if this process has detected that another one took over the lease. */
  check(): void
  release(): Promise<void>
  /** Deletes the state together with the lease. */
  remove(): Promise<void>
}

export interface States {
  find(id: string): Promise<StoredState | null>
  /** Returns the states that exist, by id. */
  list(ids: readonly string[]): Promise<Map<string, StoredState>>
  /** Writes a part of a state without a lease, and returns the new state. Returns null if it has changed since it was read. */
  replace(id: string, stored: StoredState, changes: Partial<IndexState>): Promise<StoredState | null>
  /** Takes the lease. Returns null if another process holds it. */
  take(id: string): Promise<HeldState | null>
}

interface Document extends IndexState {
  holder: string | null
  /** Different in every write, so that each one changes the document. */
  beat: number
}

interface StateResponse {
  _id: string
  found?: boolean
  _seq_no: number
  _primary_term: number
  _source: Document
}

type WriteResponse = Pick<StateResponse, '_seq_no' | '_primary_term'>

const NEW_STATE: IndexState = { index: null, change_no: 0, change_at: null, settings: null, fill: null, refused: [] }

/** The index is never searched. If the last few seconds are lost, some documents are written again. */
const INDEX_BODY = {
  settings: { index: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true, translog: { durability: 'async' } } },
  mappings: { dynamic: false },
}

export interface StatesOptions {
  client: EngineClient
  indexPrefix: string
  leaseMs?: number
}

const toPath = (index: string, id: string) => `/${index}/_doc/${encodeURIComponent(id)}`

/** Reads and writes state documents, with or without a lease. */
function createStateDocuments(client: EngineClient, index: string) {
  const find = async (id: string): Promise<StoredState | null> => {
    try {
      return toStored(await client.request<StateResponse>({ method: 'GET', path: toPath(index, id) }))
    } catch (error) {
      // If the index does not exist, neither does the state.
      if (isStatus(error, 404)) return null
      throw error
    }
  }

  const list = async (ids: readonly string[]): Promise<Map<string, StoredState>> => {
    if (ids.length === 0) return new Map()
    try {
      const { docs } = await client.request<{ docs: StateResponse[] }>({ method: 'POST', path: `/${index}/_mget`, body: { ids } })
      return new Map(docs.filter(({ found }) => found).map(doc => [doc._id, toStored(doc)]))
    } catch (error) {
      if (isMissingIndex(error)) return new Map()
      throw error
    }
  }

  /** Returns null on a version conflict. */
  const put = async (id: string, document: Document, replaced: StoredState | null): Promise<WriteResponse | null> => {
    const query = replaced ? { if_seq_no: replaced.seqNo, if_primary_term: replaced.primaryTerm } : { op_type: 'create' }
    try {
      return await client.request<WriteResponse>({
        method: 'PUT',
        path: toPath(index, id),
        query: { ...query, require_alias: false },
        body: document,
      })
    } catch (error) {
      if (isStatus(error, 409)) return null
      throw error
    }
  }

  return { find, list, put }
}

export function createStates({ client, indexPrefix, leaseMs = LEASE_MS }: StatesOptions): States {
  const index = `${indexPrefix}.states`
  /** For leases of other processes: the time since which each state has not changed. */
  const seen = new Map<string, { seqNo: number; sinceMs: number }>()
  const { find, list, put } = createStateDocuments(client, index)

  const replace = async (id: string, stored: StoredState, changes: Partial<IndexState>): Promise<StoredState | null> => {
    const document = { ...toState({ ...stored, ...changes }), holder: null }
    const written = await put(id, { ...document, beat: 0 }, stored)
    return written && { ...document, ...toVersion(written) }
  }

  const isAbandoned = (id: string, { seqNo }: StoredState): boolean => {
    const known = seen.get(id)
    if (known?.seqNo !== seqNo) seen.set(id, { seqNo, sinceMs: performance.now() })
    return known?.seqNo === seqNo && performance.now() - known.sinceMs >= leaseMs
  }

  const take = async (id: string): Promise<HeldState | null> => {
    const stored = await find(id)
    if (stored?.holder && !isAbandoned(id, stored)) return null
    seen.delete(id)
    if (!stored) await createStatesIndex(client, index)
    const holder = randomUUID()
    const state = toState(stored ?? NEW_STATE)
    const written = await put(id, { ...state, holder, beat: 0 }, stored)
    if (!written) return null
    return hold(
      { client, path: toPath(index, id), put: (document, replaced) => put(id, document, replaced), find: () => find(id) },
      holder,
      {
        ...state,
        ...toVersion(written),
        holder,
      },
    )
  }

  return { find, list, replace, take }
}

const toState = ({ index, change_no, change_at, settings, fill, refused }: IndexState): IndexState => ({
  index,
  change_no,
  change_at,
  settings,
  fill,
  refused,
})

const toVersion = ({ _seq_no, _primary_term }: WriteResponse) => ({ seqNo: _seq_no, primaryTerm: _primary_term })

const toStored = (found: StateResponse): StoredState => ({
  ...toState(found._source),
  holder: found._source.holder,
  ...toVersion(found),
})

async function createStatesIndex(client: EngineClient, index: string): Promise<void> {
  try {
    await client.request({ method: 'PUT', path: `/${index}`, body: INDEX_BODY })
  } catch (error) {
    if (!(error instanceof EngineError && error.type === 'resource_already_exists_exception')) throw error
  }
}

interface LeaseOptions {
  client: EngineClient
  path: string
  put(document: Document, replaced: StoredState): Promise<WriteResponse | null>
  find(): Promise<StoredState | null>
}

function hold({ client, path, put, find }: LeaseOptions, holder: string, taken: StoredState): HeldState {
  let isLost = false
  let waiting = 0
  let stored = taken
  /** Serializes writes, because each one specifies the version that the previous one created. */
  let last: Promise<unknown> = Promise.resolve()

  const check = () => {
    if (isLost) throw new LeaseLost('Another process has taken over the work on this index')
  }
  const end = () => {
    isLost = true
    clearInterval(timer)
  }
  const write = (changes: Partial<IndexState>, nextHolder: string | null): Promise<void> => {
    waiting++
    const turn = last.then(async () => {
      waiting--
      check()
      const document = { ...toState({ ...stored, ...changes }), holder: nextHolder }
      const written = await putWithRetry({ put, find }, { document, stored, holder })
      if (written) stored = written
      else end()
      check()
    })
    last = turn.catch(() => undefined)
    return turn
  }
  // A failure is reported by the next `save`. If the engine does not answer for a long time, the lease expires.
  const renew = () => {
    if (waiting === 0) write({}, holder).catch(() => undefined)
  }
  const timer = setInterval(renew, RENEW_MS).unref()

  return {
    get state() {
      return stored
    },
    save: changes => write(changes, holder),
    check,
    release: async () => {
      clearInterval(timer)
      await last
      if (!isLost && stored.holder === holder) await write({}, null)
    },
    remove: async () => {
      clearInterval(timer)
      await last
      check()
      const query = { if_seq_no: stored.seqNo, if_primary_term: stored.primaryTerm }
      await client.request({ method: 'DELETE', path, query })
      end()
    },
  }
}

/**
 * Returns null if another process has the lease. After a conflict, checks the holder: the request may have been sent twice, with
 * the first one stored although its response was lost. The state then still names this holder.
 */
async function putWithRetry(
  { put, find }: Pick<LeaseOptions, 'put' | 'find'>,
  { document, stored, holder }: { document: Omit<Document, 'beat'>; stored: StoredState; holder: string },
): Promise<StoredState | null> {
  const written = await put({ ...document, beat: stored.seqNo }, stored)
  if (written) return { ...document, ...toVersion(written) }
  const now = await find()
  if (now?.holder !== holder) return null
  const again = await put({ ...document, beat: now.seqNo }, now)
  return again && { ...document, ...toVersion(again) }
}
