/** The current page of the list, and all records that were loaded for the same criteria. */
import { computed, onScopeDispose, type Ref, ref, shallowRef, watch } from 'vue'
import { outboxOf } from '../../../../outbox/my-outbox.ts'
import type { Session } from '../../../../session/session.ts'
import type { Criteria } from '../../find/query/criteria.ts'
import { type Place, writeCriteria } from '../../find/query/url-state.ts'
import { fetchRecords } from '../../queue/fetch-records.ts'
import type { QueueItem } from '../../queue/record-queue.ts'
import { missingRuns, positionsBetween } from './selection.ts'

interface Options {
  session: Session
  datasetId(): string
  criteria: Readonly<Ref<Criteria>>
  place: Readonly<Ref<Place>>
  /** Called with records from the server. */
  onFetched(items: readonly QueueItem[]): void
  /** Called if the page no longer exists, with the position of the last page. */
  onPastEnd(position: number): void
}

const PATIENCE_MS = 150
/** Records per request when a range covers several pages. */
const FETCH_MAX = 100
/** Longer ranges are cut off; *select all matching* covers more. */
export const RANGE_MAX = 2000

/**
 * Records loaded for one set of criteria. If the criteria change while a range is being loaded, the range still goes into its own
 * list.
 */
interface SeenList {
  readonly criteria: Criteria
  readonly known: Map<string, QueueItem>
  /** Record ids by position. */
  readonly order: Map<number, string>
}

const newList = (criteria: Criteria): SeenList => ({ criteria, known: new Map(), order: new Map() })

export function openPages({ session, datasetId, criteria, place, onFetched, onPastEnd }: Options) {
  const items = shallowRef<QueueItem[]>([])
  const total = ref(0)
  const problem = shallowRef<unknown>(null)
  const isLoaded = ref(false)
  const isSlow = ref(false)
  /** Incremented with every page that is loaded. */
  const version = ref(0)
  /** Incremented when the list may have changed. */
  const revision = ref(0)
  let list = newList(criteria.value)
  let current = new AbortController()

  const size = computed(() => place.value.bulkSize ?? FETCH_MAX)
  const key = computed(() => JSON.stringify(writeCriteria(criteria.value)))

  async function fetch(from: SeenList, offset: number, limit: number, signal?: AbortSignal): Promise<QueueItem[]> {
    const page = await fetchRecords(session, datasetId(), from.criteria, offset, limit, signal)
    if (from === list) total.value = page.total
    const fresh = page.items.map(item => ({ ...item, hasLeft: false }))
    for (const [i, item] of fresh.entries()) {
      from.known.set(item.record.id, item)
      from.order.set(offset + i, item.record.id)
    }
    onFetched(fresh)
    return fresh
  }

  async function read(): Promise<void> {
    current.abort()
    const mine = new AbortController()
    current = mine
    const { position } = place.value
    const timer = setTimeout(() => {
      isSlow.value = true
    }, PATIENCE_MS)
    try {
      const fresh = await fetch(list, position, size.value, mine.signal)
      if (mine.signal.aborted) return
      problem.value = null
      if (fresh.length === 0 && position > 0)
        return onPastEnd(Math.max(0, Math.floor((total.value - 1) / size.value) * size.value))
      items.value = fresh.filter(isHere)
      isLoaded.value = true
      version.value++
    } catch (error) {
      if (!mine.signal.aborted) problem.value = error
    } finally {
      clearTimeout(timer)
      if (current === mine) isSlow.value = false
    }
  }

  /**
   * False for records whose answer is still in the outbox: the server still lists them here, but the user has moved them to
   * another queue.
   */
  function isHere({ record }: QueueItem): boolean {
    const write = outboxOf(session).pendingFor(record.id)
    return !write || write.refusal !== null || (write.status ?? 'pending') === criteria.value.queue
  }

  watch(key, () => {
    list = newList(criteria.value)
    items.value = []
    isLoaded.value = false
  })
  watch([key, () => place.value.position, size], () => void read(), { immediate: true })
  onScopeDispose(() => current.abort())

  /** Returns the records at these positions, and loads those that are missing. */
  async function range(from: number, to: number): Promise<QueueItem[]> {
    const mine = list
    const positions = positionsBetween(from, to).slice(0, RANGE_MAX)
    // Collected in a separate map, because an answer given in the meantime clears the positions of the list.
    const found = new Map(positions.map(at => [at, mine.known.get(mine.order.get(at) ?? '')]))
    for (const [offset, limit] of missingRuns(positions, at => found.get(at) !== undefined, FETCH_MAX))
      for (const [i, item] of (await fetch(mine, offset, limit)).entries()) found.set(offset + i, item)
    return positions.flatMap(at => found.get(at) ?? [])
  }

  /** Returns the position in the whole list, starting at 0; null if the record is not on this page. */
  function positionOf(recordId: string): number | null {
    const at = items.value.findIndex(({ record }) => record.id === recordId)
    return at < 0 ? null : place.value.position + at
  }

  /** Reloads the current page. */
  async function load(): Promise<void> {
    await read()
    revision.value++
  }

  /** Removes answered records from the list immediately. */
  function leave(recordIds: ReadonlySet<string>): void {
    items.value = items.value.filter(({ record }) => !recordIds.has(record.id))
    // Records that were answered in another list are not part of this total.
    total.value = Math.max(0, total.value - [...recordIds].filter(id => list.known.has(id)).length)
    list.order.clear()
  }

  /** Puts records back whose answer was undone or refused. The next load sorts them. */
  function comeBack(returned: readonly QueueItem[]): void {
    const here = new Set(items.value.map(({ record }) => record.id))
    const fresh = returned.filter(({ record }) => !here.has(record.id))
    for (const item of fresh) list.known.set(item.record.id, item)
    if (fresh.length > 0) items.value = [...fresh, ...items.value]
  }

  const find = (recordId: string) => list.known.get(recordId)
  const seen = () => [...list.known.values()]
  const state = { items, total, problem, isLoaded, isSlow, version, revision, size, key }
  return { ...state, find, seen, positionOf, range, load, leave, comeBack }
}

export type Pages = ReturnType<typeof openPages>
