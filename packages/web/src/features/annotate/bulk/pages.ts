/** The page of the list that is on screen, and all records that were seen under the same criteria. */
import { computed, onScopeDispose, type Ref, ref, shallowRef, watch } from 'vue'
import { outboxOf } from '../../../outbox/my-outbox.ts'
import type { Session } from '../../../session/session.ts'
import type { Criteria } from '../find/criteria.ts'
import { fetchRecords } from '../find/fetch-records.ts'
import { type Place, writeCriteria } from '../find/url-state.ts'
import type { QueueItem } from '../record-queue.ts'
import { missingRuns, positionsBetween } from './selection.ts'

interface Options {
  session: Session
  datasetId(): string
  criteria: Readonly<Ref<Criteria>>
  place: Readonly<Ref<Place>>
  /** Records came from the server. */
  onFetched(items: readonly QueueItem[]): void
  /** There is no such page any more: the last one is shown instead. */
  onPastEnd(position: number): void
}

const PATIENCE_MS = 150
/** Records of one request where a range reaches over pages. */
const FETCH_MAX = 100
/** A range that reaches further is cut: beyond it there is *all that match*. */
export const RANGE_MAX = 2000

/** What was seen under one set of criteria. A range that is still read when the criteria change goes on in its own list. */
interface SeenList {
  readonly criteria: Criteria
  readonly known: Map<string, QueueItem>
  /** Position -> record id. */
  readonly order: Map<number, string>
}

const newList = (criteria: Criteria): SeenList => ({ criteria, known: new Map(), order: new Map() })

export function openPages({ session, datasetId, criteria, place, onFetched, onPastEnd }: Options) {
  const items = shallowRef<QueueItem[]>([])
  const total = ref(0)
  const problem = shallowRef<unknown>(null)
  const isLoaded = ref(false)
  const isSlow = ref(false)
  /** Goes up with every page that is read. */
  const version = ref(0)
  /** Goes up when the list may have become another one. */
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

  /** An answer that is still on its way has not left the server's list yet, but the person is done with it. */
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

  /** The records at these positions, asked for where they were not seen yet. */
  async function range(from: number, to: number): Promise<QueueItem[]> {
    const mine = list
    const positions = positionsBetween(from, to).slice(0, RANGE_MAX)
    // Collected here: an answer that is given meanwhile makes the list forget its positions.
    const found = new Map(positions.map(at => [at, mine.known.get(mine.order.get(at) ?? '')]))
    for (const [offset, limit] of missingRuns(positions, at => found.get(at) !== undefined, FETCH_MAX))
      for (const [i, item] of (await fetch(mine, offset, limit)).entries()) found.set(offset + i, item)
    return positions.flatMap(at => found.get(at) ?? [])
  }

  /** From 0, in the whole list; null when it is not on this page. */
  function positionOf(recordId: string): number | null {
    const at = items.value.findIndex(({ record }) => record.id === recordId)
    return at < 0 ? null : place.value.position + at
  }

  /** The same page again, as it is now. */
  async function load(): Promise<void> {
    await read()
    revision.value++
  }

  /** What was just answered goes from the list at once. */
  function leave(recordIds: ReadonlySet<string>): void {
    items.value = items.value.filter(({ record }) => !recordIds.has(record.id))
    // Records that were answered from another list are not counted in this one.
    total.value = Math.max(0, total.value - [...recordIds].filter(id => list.known.has(id)).length)
    list.order.clear()
  }

  /** What was taken back, or refused, is in the list again, wherever it will be after the next load. */
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
