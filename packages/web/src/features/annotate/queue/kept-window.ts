/**
 * Window of records around the user, stored in the browser for offline work. Prefetched pages are added, answered records are
 * removed, and records far behind are dropped.
 *
 * A page is stored once, when it arrives. After an answer only the short list of remaining ids is stored again, when the browser
 * is idle.
 */
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import type { Database } from '../../../storage/database.ts'
import { newId } from '../../../storage/uuid.ts'
import type { Queue } from '../find/query/criteria.ts'
import type { QueuePage } from './record-queue.ts'

type KeptItem = QueuePage['items'][number]

/** Page with its list and its offset in the server's list. */
export interface FoundPage extends Omit<QueuePage, 'size'> {
  key: string
  offset: number
  /** True if the page comes from offline storage, because there was no network. */
  isKept: boolean
}

/** Remaining records of a list, in order. */
interface Kept {
  queue: Queue
  /** Position of the first record in the server's list. */
  start: number
  total: number
  ids: string[]
  /** Keys of the stored pages that contain the records. */
  pages: string[]
  /** The user's responses that changed after the page was stored, by record id. */
  responses: Record<string, RecordResponse>
}

interface Options {
  database: Pick<Database, 'get' | 'write'>
  /** True if an unsent write moves this record out of the queue. */
  isLeaving(recordId: string, queue: Queue): boolean
  /** Runs the callback when the browser is idle. */
  whenIdle(run: () => void): void
}

export const KEPT_MAX = 100
/** Maximum number of stored lists; beyond it, the oldest is deleted. */
const LISTS_MAX = 4
/** Maximum number of records that may be answered while a page is in transit; a larger gap is a jump. */
const ANSWERED_MAX = 30
const LISTS_KEY = 'record-lists'

const toQueue = (status: ResponseStatus | null | undefined): Queue => status ?? 'pending'

export type KeptWindow = ReturnType<typeof openKeptWindow>

export function openKeptWindow({ database, isLeaving, whenIdle }: Options) {
  const table = openCopies(database)
  let key: string | null = null
  let kept: Kept | null = null
  /** Record ids by stored page. */
  const held = new Map<string, Set<string>>()
  /**
   * Records answered since the list was opened. A page that was read before an answer but arrives after it still contains the
   * record.
   */
  const answered = new Set<string>()
  /** Serializes writes, so that an older state never overwrites a newer one. */
  let storing: Promise<unknown> = Promise.resolve()
  let isPlanned = false

  const store = (act: () => Promise<unknown>) => {
    storing = storing.then(act)
  }

  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    whenIdle(() => {
      isPlanned = false
      save()
    })
  }

  function save(): void {
    const [at, now] = [key, kept]
    if (at !== null && now !== null) store(() => table.put(at, now))
  }

  /** Starts another list, or the same one again, and deletes the stored pages of the latter. */
  function begin(page: FoundPage, queue: Queue): Kept {
    if (key === page.key) for (const pageKey of held.keys()) store(() => table.delete(pageKey))
    else save()
    key = page.key
    held.clear()
    answered.clear()
    store(() => forgetLists(table, page.key))
    return { queue, start: page.offset, total: page.total, ids: [], pages: [], responses: {} }
  }

  /** Merges the page into the known records; returns null if there is a gap between them. */
  function join(now: Kept, { offset, items }: FoundPage): Pick<Kept, 'start' | 'ids'> | null {
    const isLeft = (id: string) => !isLeaving(id, now.queue) && !answered.has(id)
    const here = now.ids.filter(isLeft)
    const fresh = items.map(({ record }) => record.id).filter(isLeft)
    const at = offset - now.start
    if (at >= 0 && at <= here.length + ANSWERED_MAX)
      return { start: now.start, ids: [...new Set([...here.slice(0, at), ...fresh])] }
    if (at < 0 && fresh.length === -at) return { start: offset, ids: [...new Set([...fresh, ...here])] }
    return null
  }

  function add(page: FoundPage, queue: Queue, isFirst: boolean): void {
    const isSame = kept !== null && key === page.key && !isFirst
    const before = isSame ? kept : null
    const joined = before && join(before, page)
    const base = before && joined ? { ...before, ...joined } : begin(page, queue)
    const ids = joined ? joined.ids : page.items.map(({ record }) => record.id)
    // Drops records behind first, or after a step back those far ahead.
    const isBehind = before !== null && page.offset < before.start
    const cut = isBehind ? 0 : Math.max(0, ids.length - KEPT_MAX)
    const pageKey = `records-page:${newId()}`
    held.set(pageKey, new Set(page.items.map(({ record }) => record.id)))
    store(() => table.put(pageKey, page.items))
    kept = { ...base, total: page.total, start: base.start + cut, ids: ids.slice(cut, cut + KEPT_MAX) }
    letGo()
    plan()
  }

  /** Deletes stored pages whose records have all left the window. */
  function letGo(): void {
    if (!kept) return
    const left = new Set(kept.ids)
    for (const [pageKey, ids] of held) {
      if ([...ids].some(id => left.has(id))) continue
      held.delete(pageKey)
      store(() => table.delete(pageKey))
    }
    kept = { ...kept, pages: [...held.keys()] }
  }

  /** Called when the server has stored an answer of the user. */
  function note(recordId: string, response: RecordResponse | null): void {
    if (!kept) return
    if (toQueue(response?.status) === kept.queue) answered.delete(recordId)
    else answered.add(recordId)
    if (!kept.ids.includes(recordId)) return
    if (toQueue(response?.status) === kept.queue) {
      if (response) kept = { ...kept, responses: { ...kept.responses, [recordId]: response } }
    } else {
      kept = { ...kept, ids: kept.ids.filter(id => id !== recordId), total: Math.max(0, kept.total - 1) }
      letGo()
    }
    plan()
  }

  /** Returns records from the last known state of the server's list; null if nothing is stored. */
  async function find(listKey: string, offset: number, limit: number): Promise<FoundPage | null> {
    const list = key === listKey && kept ? kept : ((await table.get(listKey)) as Kept | undefined)
    if (!list) return null
    await storing
    const pages = (await Promise.all(list.pages.map(one => table.get(one)))) as (KeptItem[] | undefined)[]
    const items = new Map(pages.flatMap(page => (page ?? []).map(item => [item.record.id, item])))
    const at = Math.max(0, offset - list.start)
    const found = list.ids.slice(at, at + limit).flatMap(id => {
      const item = items.get(id)
      return item ? [{ ...item, response: list.responses[id] ?? item.response }] : []
    })
    return found.length === 0 ? null : { key: listKey, offset, total: list.total, items: found, isKept: true }
  }

  return { add, note, find, settled: () => storing }
}

type Copies = ReturnType<typeof openCopies>

const openCopies = (database: Options['database']) => ({
  get: (key: string) => database.get<unknown>('copies', key),
  put: (key: string, value: unknown) => database.write('copies', { put: [[key, value]] }),
  delete: (key: string) => database.write('copies', { delete: [key] }),
})

/** Deletes the stored copy of this list, and the lists beyond `LISTS_MAX`, with their pages. */
async function forgetLists(table: Copies, key: string): Promise<void> {
  const before = ((await table.get(LISTS_KEY)) as string[] | undefined) ?? []
  const now = [...before.filter(one => one !== key), key].slice(-LISTS_MAX)
  for (const gone of before.filter(one => one === key || !now.includes(one))) {
    const list = (await table.get(gone)) as Kept | undefined
    for (const page of list?.pages ?? []) await table.delete(page)
    await table.delete(gone)
  }
  await table.put(LISTS_KEY, now)
}
