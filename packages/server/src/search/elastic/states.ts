/**
 * How far the index of each dataset is, and who works on it. Kept in the cluster beside the indexes, so that an index and its state are lost
 * and restored together.
 *
 * One process at a time works on an index: the holder of its lease. A lease is a name in the state, which the holder writes again and again.
 * Whoever sees a state that has not changed for `LEASE_MS` by their own clock takes the lease over, so clocks of different machines need not
 * agree. Every write names the version of the state that it replaces, so a holder that was replaced notices it.
 */
import { randomUUID } from 'node:crypto'
import type { EngineClient } from './client.ts'
import { EngineError, isMissingIndex, isStatus, LeaseLost } from './errors.ts'

const LEASE_MS = 4_000
const RENEW_MS = 1_000

export interface IndexState {
  /** The index that is searched; null before there is one. */
  index: string | null
  /** Everything up to this entry of the dataset's log is in the index, except for what `fill` says. */
  change_no: number
  /** When that entry was written: another time means another log, such as that of a restored database. Null if it is not known. */
  change_at: string | null
  /** The settings that the mapping and the documents follow (settings-stamp.ts). */
  settings: string | null
  /** Records that are still to be read: those with higher numbers than `after`. */
  fill: Fill | null
  /** Documents that the engine refuses for good. */
  refused: Refused[]
}

export interface Fill {
  after: number
  /** Ids of the settings whose values are missing in these records; null: the records are not in the index at all. */
  ids: string[] | null
}

export interface Refused {
  record_id: string
  reason: string
}

export interface StoredState extends IndexState {
  /** The version that a write must name. */
  seqNo: number
  primaryTerm: number
  holder: string | null
}

/** A lease that this process holds. */
export interface HeldState {
  readonly state: IndexState
  /** Writes a part of the state, which also renews the lease. Throws LeaseLost. */
  save(changes: Partial<IndexState>): Promise<void>
  /** Throws LeaseLost if somebody else has taken the lease over, as far as is known here. */
  check(): void
  /** Gives the lease back. */
  release(): Promise<void>
  /** Deletes the state, and with it the lease. */
  remove(): Promise<void>
}

export interface States {
  find(id: string): Promise<StoredState | null>
  /** Those of the ids that have a state. */
  list(ids: readonly string[]): Promise<Map<string, StoredState>>
  /** Writes a part of a state that nobody holds. False if it has changed since it was read. */
  replace(id: string, stored: StoredState, changes: Partial<IndexState>): Promise<boolean>
  /** Null if somebody else holds the lease. */
  take(id: string): Promise<HeldState | null>
}

interface Document extends IndexState {
  holder: string | null
  /** Differs with every write, so that each one changes the document. */
  beat: number
}

interface Found {
  _id: string
  found?: boolean
  _seq_no: number
  _primary_term: number
  _source: Document
}

type Written = Pick<Found, '_seq_no' | '_primary_term'>

const NEW_STATE: IndexState = { index: null, change_no: 0, change_at: null, settings: null, fill: null, refused: [] }

/** Nothing is searched here; losing the last seconds only means that some documents are written again. */
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

/** The documents of states, whoever may write them. */
function openDocuments(client: EngineClient, index: string) {
  const find = async (id: string): Promise<StoredState | null> => {
    try {
      return toStored(await client.request<Found>({ method: 'GET', path: toPath(index, id) }))
    } catch (error) {
      // Without the index there is no state either.
      if (isStatus(error, 404)) return null
      throw error
    }
  }

  const list = async (ids: readonly string[]): Promise<Map<string, StoredState>> => {
    if (ids.length === 0) return new Map()
    try {
      const { docs } = await client.request<{ docs: Found[] }>({ method: 'POST', path: `/${index}/_mget`, body: { ids } })
      return new Map(docs.filter(({ found }) => found).map(doc => [doc._id, toStored(doc)]))
    } catch (error) {
      if (isMissingIndex(error)) return new Map()
      throw error
    }
  }

  /** Null if somebody else was faster. */
  const put = async (id: string, document: Document, replaced: StoredState | null): Promise<Written | null> => {
    const query = replaced ? { if_seq_no: replaced.seqNo, if_primary_term: replaced.primaryTerm } : { op_type: 'create' }
    try {
      return await client.request<Written>({
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

export function openStates({ client, indexPrefix, leaseMs = LEASE_MS }: StatesOptions): States {
  const index = `${indexPrefix}.states`
  /** Of leases that others hold: since when each state has not changed. */
  const seen = new Map<string, { seqNo: number; sinceMs: number }>()
  const { find, list, put } = openDocuments(client, index)

  const replace = async (id: string, stored: StoredState, changes: Partial<IndexState>): Promise<boolean> =>
    (await put(id, { ...toState({ ...stored, ...changes }), holder: null, beat: 0 }, stored)) !== null

  const isAbandoned = (id: string, { seqNo }: StoredState): boolean => {
    const known = seen.get(id)
    if (known?.seqNo !== seqNo) seen.set(id, { seqNo, sinceMs: performance.now() })
    return known?.seqNo === seqNo && performance.now() - known.sinceMs >= leaseMs
  }

  const take = async (id: string): Promise<HeldState | null> => {
    const stored = await find(id)
    if (stored?.holder && !isAbandoned(id, stored)) return null
    seen.delete(id)
    if (!stored) await createIndex(client, index)
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

const toVersion = ({ _seq_no, _primary_term }: Written) => ({ seqNo: _seq_no, primaryTerm: _primary_term })

const toStored = (found: Found): StoredState => ({ ...toState(found._source), holder: found._source.holder, ...toVersion(found) })

async function createIndex(client: EngineClient, index: string): Promise<void> {
  try {
    await client.request({ method: 'PUT', path: `/${index}`, body: INDEX_BODY })
  } catch (error) {
    if (!(error instanceof EngineError && error.type === 'resource_already_exists_exception')) throw error
  }
}

interface Held {
  client: EngineClient
  path: string
  put(document: Document, replaced: StoredState): Promise<Written | null>
  find(): Promise<StoredState | null>
}

function hold({ client, path, put, find }: Held, holder: string, taken: StoredState): HeldState {
  let isLost = false
  let waiting = 0
  let stored = taken
  /** One write at a time: each names the version that the one before it made. */
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
      const written = await putAgain({ put, find }, { document, stored, holder })
      if (written) stored = written
      else end()
      check()
    })
    last = turn.catch(() => undefined)
    return turn
  }
  // A failure shows with the next `save`; if the engine does not answer for long, the lease ends.
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
 * Null if somebody else has the lease by now. The request may have been sent twice, and the first one have been stored although its answer
 * was lost: then the state still names this holder.
 */
async function putAgain(
  { put, find }: Pick<Held, 'put' | 'find'>,
  { document, stored, holder }: { document: Omit<Document, 'beat'>; stored: StoredState; holder: string },
): Promise<StoredState | null> {
  const written = await put({ ...document, beat: stored.seqNo }, stored)
  if (written) return { ...document, ...toVersion(written) }
  const now = await find()
  if (now?.holder !== holder) return null
  const again = await put({ ...document, beat: now.seqNo }, now)
  return again && { ...document, ...toVersion(again) }
}
