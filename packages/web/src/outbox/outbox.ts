/**
 * A person's answers on their way to the server, the same in all of their tabs. The tab that leads sends; the others tell it
 * what was answered there and hear what became of it. Every tab keeps its own answers in memory until they are settled, and in
 * the browser's storage where that works: a lost tab, a lost leader and lost storage lose nothing unless all three meet.
 */
import type { RecordResponse } from '@postil/domain/responses'
import { computed, type Ref, shallowRef, watch } from 'vue'
import type { Tabs } from '../session/tabs.ts'
import type { Database } from '../storage/database.ts'
import { openKeeper } from './keeper.ts'
import type { Sent } from './send.ts'
import { openSender, type Sender } from './sender.ts'
import type { Refusal, Write } from './write.ts'

export interface OutboxNews {
  /** Answered in another tab, and not at the server yet. */
  onPutElsewhere?(write: Write): void
  onSaved?(write: Write, response: RecordResponse | null): void
  onRefused?(write: Write, refusal: Refusal): void
}

export interface Outbox {
  put(write: Omit<Write, 'tab' | 'upon'>): void
  /** Gives up a refused write, or sends it anyway, upon what the server has now. */
  drop(id: string): void
  insist(id: string): void
  /** Tries at once instead of after the pause. */
  hurry(): void
  /** The last unsettled write to the record, of any tab. */
  pendingFor(recordId: string): Write | undefined
  /** Calls back until what it answers is called. */
  listen(news: OutboxNews): () => void
  /** In the order they were made: those that wait and those that were refused. */
  readonly unsettled: Readonly<Ref<readonly Write[]>>
  readonly waiting: Readonly<Ref<number>>
  readonly refused: Readonly<Ref<readonly Write[]>>
  /** The last try found no server. */
  readonly isOffline: Readonly<Ref<boolean>>
  close(): void
}

export interface OutboxOptions {
  tabs: Tabs
  database: Database
  send(batch: Write[]): Promise<Sent[]>
  /** True while nobody is signed in, or somebody else is. */
  isPaused: Readonly<Ref<boolean>>
  /** What an earlier version stored elsewhere. */
  importOld(): Promise<void>
}

type Order = { act: 'drop' | 'insist'; id: string } | { act: 'hurry' }
interface Changed {
  changed: readonly Write[]
  gone: readonly string[]
}
interface All {
  writes: readonly Write[]
  isOffline: boolean
}
interface Settled {
  write: Write
  response: RecordResponse | null
}

/** A leader that works takes an answer at once; one that is asleep does not. */
const TAKEN_MS = 3_000
/** Ids of settled writes, in case a tab that slept hands one in again. */
const GONE_MAX = 2_000

export function openOutbox({ tabs, database, send, isPaused, importOld }: OutboxOptions): Outbox {
  /** Every unsettled write of every tab, by id, in the order they were made. */
  const writes = shallowRef<ReadonlyMap<string, Write>>(new Map())
  const unsettled = computed(() => [...writes.value.values()])
  const isOffline = shallowRef(false)
  const listeners = new Set<OutboxNews>()
  /** Put here, and not seen among the leader's yet. */
  const untaken = new Map<string, ReturnType<typeof setTimeout>>()
  const gone = new Set<string>()
  const keeper = openKeeper(database, () => [...writes.value.values()])
  let sender: Sender | null = null
  let isClosed = false

  function mirror({ changed, gone: left }: Changed): void {
    const next = new Map(writes.value)
    for (const write of changed) {
      next.set(write.id, write)
      settleTaken(write.id)
    }
    for (const id of left) {
      next.delete(id)
      settleTaken(id)
      gone.add(id)
    }
    for (const id of gone) {
      if (gone.size <= GONE_MAX) break
      gone.delete(id)
    }
    writes.value = next
  }

  function settleTaken(id: string): void {
    clearTimeout(untaken.get(id))
    untaken.delete(id)
  }

  /** The leader is asked again; if it does not answer, this tab sends the write itself. */
  function handOver(write: Write): void {
    clearTimeout(untaken.get(write.id))
    untaken.set(
      write.id,
      setTimeout(() => tabs.takeOver(), TAKEN_MS),
    )
    tabs.tell('outbox.put', write)
  }

  async function lead(): Promise<void> {
    await importOld()
    const stored = await database.all<Write>('outbox')
    if (isClosed || !tabs.isLeader.value) return
    // What only storage knows may have been sent in the last moment of another tab.
    const fromStorage = stored.map(write => ({ ...write, tries: Math.max(1, write.tries) }))
    const left = [...fromStorage, ...writes.value.values()].filter(({ id }) => !gone.has(id))
    sender = startSender()
    sender.adopt([...new Map(left.map(write => [write.id, write])).values()])
    tellAll()
  }

  function startSender(): Sender {
    return openSender({
      send,
      mayAct: tabs.mayAct,
      isPaused: () => isPaused.value,
      onChanged: (changed, left) => {
        mirror({ changed, gone: left })
        keeper.store(changed, left)
        tabs.tell('outbox.changed', { changed, gone: left } satisfies Changed)
      },
      onSaved: (write, response) => {
        tabs.tell('outbox.saved', { write, response } satisfies Settled)
        tellSaved({ write, response })
      },
      onRefused: write => {
        tabs.tell('outbox.refused', write)
        tellRefused(write)
      },
      onOffline: isNow => {
        if (isOffline.value === isNow) return
        isOffline.value = isNow
        tabs.tell('outbox.offline', isNow)
      },
    })
  }

  function tellAll(): void {
    if (sender) tabs.tell('outbox.all', { writes: unsettled.value, isOffline: isOffline.value } satisfies All)
  }

  function tellSaved({ write, response }: Settled): void {
    for (const { onSaved } of listeners) onSaved?.(write, response)
  }

  function tellRefused(write: Write): void {
    for (const { onRefused } of listeners) if (write.refusal) onRefused?.(write, write.refusal)
  }

  function obey(given: Order): void {
    if (!sender) return
    if (given.act === 'hurry') sender.hurry()
    else sender[given.act](given.id)
  }
  function order(given: Order): void {
    if (sender) obey(given)
    else tabs.tell('outbox.order', given)
  }

  function take(write: Write): void {
    // A tab that slept may hand in what was settled long ago.
    if (gone.has(write.id)) {
      if (sender) tabs.tell('outbox.changed', { changed: [], gone: [write.id] } satisfies Changed)
      return
    }
    for (const { onPutElsewhere } of listeners) onPutElsewhere?.(write)
    if (sender) sender.take(write)
    else mirror({ changed: [write], gone: [] })
  }

  function learnAll(all: All): void {
    isOffline.value = all.isOffline
    mirror({ changed: all.writes, gone: [] })
    // A new leader may not know what was put here a moment ago.
    const known = new Set(all.writes.map(({ id }) => id))
    for (const write of unsettled.value) if (write.tab === tabs.id && !known.has(write.id)) handOver(write)
  }

  function turn(isLeader: boolean): void {
    sender?.stop()
    sender = null
    if (isLeader) void lead()
    else tabs.tell('outbox.hello', null)
  }

  const stops = [
    tabs.listen<Write>('outbox.put', take),
    tabs.listen<Changed>('outbox.changed', mirror),
    tabs.listen<Settled>('outbox.saved', tellSaved),
    tabs.listen<Write>('outbox.refused', tellRefused),
    tabs.listen<boolean>('outbox.offline', isNow => {
      isOffline.value = isNow
    }),
    tabs.listen<null>('outbox.hello', tellAll),
    tabs.listen<All>('outbox.all', learnAll),
    tabs.listen<Order>('outbox.order', obey),
    watch(tabs.isLeader, turn, { immediate: true, flush: 'sync' }),
    watch(isPaused, isNow => isNow || order({ act: 'hurry' })),
  ]

  function put(given: Omit<Write, 'tab' | 'upon'>): void {
    const write: Write = { ...given, tab: tabs.id, upon: pendingFor(given.recordId)?.id ?? null }
    mirror({ changed: [write], gone: [] })
    if (sender) {
      tabs.tell('outbox.put', write)
      sender.take(write)
    } else {
      keeper.store([write], [])
      handOver(write)
    }
  }

  function listen(news: OutboxNews): () => void {
    listeners.add(news)
    return () => listeners.delete(news)
  }

  function close(): void {
    isClosed = true
    sender?.stop()
    sender = null
    keeper.stop()
    for (const timer of untaken.values()) clearTimeout(timer)
    for (const stop of stops) stop()
  }

  function pendingFor(recordId: string): Write | undefined {
    return unsettled.value.findLast(write => write.recordId === recordId)
  }

  return {
    put,
    drop: id => order({ act: 'drop', id }),
    insist: id => order({ act: 'insist', id }),
    hurry: () => order({ act: 'hurry' }),
    pendingFor,
    listen,
    unsettled,
    waiting: computed(() => unsettled.value.filter(({ refusal }) => !refusal).length),
    refused: computed(() => unsettled.value.filter(({ refusal }) => refusal)),
    isOffline,
    close,
  }
}
