/**
 * Queue of a user's answers to the server, shared by all of their tabs. The leader tab sends; other tabs pass their answers to it
 * and receive the results. Every tab keeps its own answers in memory until they are settled, and in the browser's storage if that
 * works. Answers are lost only if the tab, the leader and the storage all fail.
 */
import type { RecordResponse } from '@postil/domain/responses'
import { computed, type Ref, shallowRef, watch } from 'vue'
import type { Tabs } from '../session/tabs.ts'
import type { Database } from '../storage/database.ts'
import type { WriteResult } from './send.ts'
import { openSender, type Sender } from './sender.ts'
import type { Refusal, Write } from './write.ts'
import { openWriteStore } from './write-store.ts'

export interface OutboxListener {
  /** Called for an answer given in another tab that is not on the server yet. */
  onPutElsewhere?(write: Write): void
  onSaved?(write: Write, response: RecordResponse | null): void
  onRefused?(write: Write, refusal: Refusal): void
}

export interface Outbox {
  put(write: Omit<Write, 'tab' | 'upon'>): void
  /** `drop` discards a rejected write; `insist` sends it again and replaces the server's current response. */
  drop(id: string): void
  insist(id: string): void
  /** Retries immediately instead of after the pause. */
  hurry(): void
  /** Last unsettled write to the record, from any tab. */
  pendingFor(recordId: string): Write | undefined
  /** Subscribes to outbox events. Returns a function that unsubscribes. */
  listen(news: OutboxListener): () => void
  /** Waiting and rejected writes, in the order in which they were made. */
  readonly unsettled: Readonly<Ref<readonly Write[]>>
  readonly waiting: Readonly<Ref<number>>
  readonly refused: Readonly<Ref<readonly Write[]>>
  /** True if the last attempt could not reach the server. */
  readonly isOffline: Readonly<Ref<boolean>>
  close(): void
}

export interface OutboxOptions {
  tabs: Tabs
  database: Database
  send(batch: Write[]): Promise<WriteResult[]>
  /** True while no user or another user is signed in. */
  isPaused: Readonly<Ref<boolean>>
  /** Imports writes that an earlier version stored elsewhere. */
  importLegacyData(): Promise<void>
}

type OutboxCommand = { act: 'drop' | 'insist'; id: string } | { act: 'hurry' }
interface OutboxChange {
  changed: readonly Write[]
  gone: readonly string[]
}
interface OutboxSnapshot {
  writes: readonly Write[]
  isOffline: boolean
}
interface SavedWrite {
  write: Write
  response: RecordResponse | null
}

/** Time after which a leader that has not accepted a write counts as suspended. A running leader accepts writes immediately. */
const CONFIRM_MS = 3_000
/** Number of ids of settled writes to remember, in case a suspended tab submits one again. */
const SETTLED_IDS_MAX = 2_000

export function openOutbox({ tabs, database, send, isPaused, importLegacyData: importOld }: OutboxOptions): Outbox {
  /** Unsettled writes of all tabs by id, in the order in which they were made. */
  const writes = shallowRef<ReadonlyMap<string, Write>>(new Map())
  const unsettled = computed(() => [...writes.value.values()])
  const isOffline = shallowRef(false)
  const listeners = new Set<OutboxListener>()
  /** Writes made in this tab that the leader has not confirmed yet, with their timeouts. */
  const unconfirmed = new Map<string, ReturnType<typeof setTimeout>>()
  const gone = new Set<string>()
  const writeStore = openWriteStore(database, () => [...writes.value.values()])
  let sender: Sender | null = null
  let isClosed = false

  function mirror({ changed, gone: left }: OutboxChange): void {
    const next = new Map(writes.value)
    for (const write of changed) {
      next.set(write.id, write)
      confirm(write.id)
    }
    for (const id of left) {
      next.delete(id)
      confirm(id)
      gone.add(id)
    }
    for (const id of gone) {
      if (gone.size <= SETTLED_IDS_MAX) break
      gone.delete(id)
    }
    writes.value = next
  }

  function confirm(id: string): void {
    clearTimeout(unconfirmed.get(id))
    unconfirmed.delete(id)
  }

  /** Passes a write to the leader. If the leader does not confirm it in time, this tab takes over and sends it. */
  function passToLeader(write: Write): void {
    clearTimeout(unconfirmed.get(write.id))
    unconfirmed.set(
      write.id,
      setTimeout(() => tabs.takeOver(), CONFIRM_MS),
    )
    tabs.tell('outbox.put', write)
  }

  async function lead(): Promise<void> {
    await importOld()
    const stored = await writeStore.read(late => sender?.adopt(joinWrites(late)))
    if (isClosed || !tabs.isLeader.value) return
    sender = startSender()
    sender.adopt(joinWrites(stored))
    sendSnapshot()
  }

  function joinWrites(stored: readonly Write[]): Write[] {
    // Another tab may have sent these writes just before it closed, so they count as tried at least once.
    const fromStorage = stored.map(write => ({ ...write, tries: Math.max(1, write.tries) }))
    const left = [...fromStorage, ...writes.value.values()].filter(({ id }) => !gone.has(id))
    return [...new Map(left.map(write => [write.id, write])).values()]
  }

  function startSender(): Sender {
    return openSender({
      send,
      mayAct: tabs.mayAct,
      isPaused: () => isPaused.value,
      onChanged: (changed, left) => {
        mirror({ changed, gone: left })
        writeStore.store(changed, left)
        tabs.tell('outbox.changed', { changed, gone: left } satisfies OutboxChange)
      },
      onSaved: (write, response) => {
        tabs.tell('outbox.saved', { write, response } satisfies SavedWrite)
        notifySaved({ write, response })
      },
      onRefused: write => {
        tabs.tell('outbox.refused', write)
        notifyRefused(write)
      },
      onOffline: isNow => {
        if (isOffline.value === isNow) return
        isOffline.value = isNow
        tabs.tell('outbox.offline', isNow)
      },
    })
  }

  function sendSnapshot(): void {
    if (sender) tabs.tell('outbox.all', { writes: unsettled.value, isOffline: isOffline.value } satisfies OutboxSnapshot)
  }

  function notifySaved({ write, response }: SavedWrite): void {
    for (const { onSaved } of listeners) onSaved?.(write, response)
  }

  function notifyRefused(write: Write): void {
    for (const { onRefused } of listeners) if (write.refusal) onRefused?.(write, write.refusal)
  }

  function execute(given: OutboxCommand): void {
    if (!sender) return
    if (given.act === 'hurry') sender.hurry()
    else sender[given.act](given.id)
  }
  function dispatch(given: OutboxCommand): void {
    if (sender) execute(given)
    else tabs.tell('outbox.order', given)
  }

  function take(write: Write): void {
    // A tab that was suspended may submit a write that was settled long ago.
    if (gone.has(write.id)) {
      if (sender) tabs.tell('outbox.changed', { changed: [], gone: [write.id] } satisfies OutboxChange)
      return
    }
    for (const { onPutElsewhere } of listeners) onPutElsewhere?.(write)
    if (sender) sender.take(write)
    else mirror({ changed: [write], gone: [] })
  }

  function applySnapshot(all: OutboxSnapshot): void {
    isOffline.value = all.isOffline
    mirror({ changed: all.writes, gone: [] })
    // A new leader may not have recent writes of this tab.
    const known = new Set(all.writes.map(({ id }) => id))
    for (const write of unsettled.value) if (write.tab === tabs.id && !known.has(write.id)) passToLeader(write)
  }

  function onLeaderChange(isLeader: boolean): void {
    sender?.stop()
    sender = null
    writeStore.release()
    if (isLeader) void lead()
    else tabs.tell('outbox.hello', null)
  }

  const stops = [
    tabs.listen<Write>('outbox.put', take),
    tabs.listen<OutboxChange>('outbox.changed', mirror),
    tabs.listen<SavedWrite>('outbox.saved', notifySaved),
    tabs.listen<Write>('outbox.refused', notifyRefused),
    tabs.listen<boolean>('outbox.offline', isNow => {
      isOffline.value = isNow
    }),
    tabs.listen<null>('outbox.hello', sendSnapshot),
    tabs.listen<OutboxSnapshot>('outbox.all', applySnapshot),
    tabs.listen<OutboxCommand>('outbox.order', execute),
    watch(tabs.isLeader, onLeaderChange, { immediate: true, flush: 'sync' }),
    watch(isPaused, isNow => isNow || dispatch({ act: 'hurry' })),
  ]

  function put(given: Omit<Write, 'tab' | 'upon'>): void {
    const write: Write = { ...given, tab: tabs.id, upon: pendingFor(given.recordId)?.id ?? null }
    mirror({ changed: [write], gone: [] })
    if (sender) {
      tabs.tell('outbox.put', write)
      sender.take(write)
    } else {
      writeStore.store([write], [])
      passToLeader(write)
    }
  }

  function listen(news: OutboxListener): () => void {
    listeners.add(news)
    return () => listeners.delete(news)
  }

  function close(): void {
    isClosed = true
    sender?.stop()
    sender = null
    writeStore.stop()
    for (const timer of unconfirmed.values()) clearTimeout(timer)
    for (const stop of stops) stop()
  }

  function pendingFor(recordId: string): Write | undefined {
    return unsettled.value.findLast(write => write.recordId === recordId)
  }

  return {
    put,
    drop: id => dispatch({ act: 'drop', id }),
    insist: id => dispatch({ act: 'insist', id }),
    hurry: () => dispatch({ act: 'hurry' }),
    pendingFor,
    listen,
    unsettled,
    waiting: computed(() => unsettled.value.filter(({ refusal }) => !refusal).length),
    refused: computed(() => unsettled.value.filter(({ refusal }) => refusal)),
    isOffline,
    close,
  }
}
