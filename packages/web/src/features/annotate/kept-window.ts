/**
 * The records around a person, kept in the browser for work without a network. The window follows: pages that are fetched
 * ahead are added to it, what was answered goes from it, and what lies far behind is let go.
 *
 * A page is stored once, when it arrives; after an answer only the small list of what is left is stored again, when the browser
 * has nothing better to do.
 */
import type { RecordResponse, ResponseStatus } from '@postil/domain/responses'
import type { Database } from '../../storage/database.ts'
import { newId } from '../../storage/uuid.ts'
import type { Queue } from './find/criteria.ts'
import type { QueuePage } from './record-queue.ts'

type KeptItem = QueuePage['items'][number]

/** A page, and where in which list the server has it. */
export interface FoundPage extends Omit<QueuePage, 'size'> {
  key: string
  offset: number
  /** There was no network: it comes from an earlier visit. */
  isKept: boolean
}

/** What is left of a list, in order. */
interface Kept {
  queue: Queue
  /** Of the first record, in the server's list. */
  start: number
  total: number
  ids: string[]
  /** Keys of the stored pages that hold them. */
  pages: string[]
  /** Mine, where they changed after the page was stored. */
  responses: Record<string, RecordResponse>
}

interface Options {
  database: Pick<Database, 'get' | 'write'>
  /** A write to this record is on its way that takes it from the queue. */
  isLeaving(recordId: string, queue: Queue): boolean
  /** Runs soon, when nothing else is to do. */
  whenIdle(run: () => void): void
}

export const KEPT_MAX = 100
/** Lists of other criteria, the oldest of which is forgotten. */
const LISTS_MAX = 4
/** So many may be answered while a page is on its way; a greater gap is a jump. */
const ANSWERED_MAX = 30
const LISTS_KEY = 'record-lists'

const toQueue = (status: ResponseStatus | null | undefined): Queue => status ?? 'pending'

export type KeptWindow = ReturnType<typeof openKeptWindow>

export function openKeptWindow({ database, isLeaving, whenIdle }: Options) {
  const table = openCopies(database)
  let key: string | null = null
  let kept: Kept | null = null
  /** Stored page -> the records in it. */
  const held = new Map<string, Set<string>>()
  /** Answered since the list was opened: a page that was read before that, and comes after it, still has them. */
  const answered = new Set<string>()
  /** One after the other, so that an older state never comes last. */
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

  /** Another list, or the same from the start: what was stored for it goes. */
  function begin(page: FoundPage, queue: Queue): Kept {
    if (key === page.key) for (const pageKey of held.keys()) store(() => table.delete(pageKey))
    else save()
    key = page.key
    held.clear()
    answered.clear()
    store(() => forgetLists(table, page.key))
    return { queue, start: page.offset, total: page.total, ids: [], pages: [], responses: {} }
  }

  /** Where the page belongs among what is known; null when there is a gap between. */
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
    // Those behind go first; after a step back, those far ahead.
    const isBehind = before !== null && page.offset < before.start
    const cut = isBehind ? 0 : Math.max(0, ids.length - KEPT_MAX)
    const pageKey = `records-page:${newId()}`
    held.set(pageKey, new Set(page.items.map(({ record }) => record.id)))
    store(() => table.put(pageKey, page.items))
    kept = { ...base, total: page.total, start: base.start + cut, ids: ids.slice(cut, cut + KEPT_MAX) }
    letGo()
    plan()
  }

  /** Stored pages of which nothing is left. */
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

  /** The server has an answer of mine. */
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

  /** From the server's list as it was; null where nothing was kept. */
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

/** This list, and those beyond the last few: their entries and their pages. */
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
