/** The outbox of whoever is signed in: one per tab, its state shown in the top bar, its news told to the pages that care. */
import type { RecordResponse } from '@postil/domain/responses'
import { shallowRef, watch } from 'vue'
import { connection } from '../connection.ts'
import { me, mustSignInAgain } from '../session.ts'
import { isDurable, openTable } from '../storage/browser-store.ts'
import { newId } from '../storage/uuid.ts'
import { type Outbox, type OutboxState, openOutbox } from './outbox.ts'
import { sendWrites } from './send.ts'
import type { Refusal, Write } from './write.ts'

export interface OutboxNews {
  onSaved?(write: Write, response: RecordResponse | null): void
  onRefused?(write: Write, refusal: Refusal): void
}

const listeners = new Set<OutboxNews>()
export const refusedWrites = shallowRef<Write[]>([])
export const waitingWrites = shallowRef(0)

/** A page that wants to know what became of writes, until it calls what it gets. */
export function listenToOutbox(news: OutboxNews): () => void {
  listeners.add(news)
  return () => listeners.delete(news)
}

export const TAB = newId()
const HEARTBEAT_MS = 4_000
const DEAD_AFTER_MS = 15_000
const beatKey = (tab: string) => `postil.tab.${tab}`
const isAlive = (tab: string) => Date.now() - Number(localStorage.getItem(beatKey(tab)) ?? 0) < DEAD_AFTER_MS

/** Tabs of the same person tell each other what was saved. */
const channel = new BroadcastChannel('postil.outbox')

let outbox: Outbox | null = null
let ownerId: string | null = null

export function myOutbox(): Outbox {
  const user = me.value
  if (user === null) throw new Error('Nobody is signed in')
  if (outbox !== null && ownerId === user.id) return outbox
  outbox?.stop()
  ownerId = user.id
  outbox = openOutbox({
    table: openTable<Write>('outbox'),
    userId: user.id,
    tab: TAB,
    send: sendWrites,
    onState: showState,
    onSaved: (write, response) => {
      for (const news of listeners) news.onSaved?.(write, response)
      channel.postMessage({ userId: user.id, write, response })
    },
    onRefused: (write, refusal) => {
      for (const news of listeners) news.onRefused?.(write, refusal)
    },
  })
  void outbox.adopt(isAlive)
  return outbox
}

function showState({ waiting, isOffline, refused }: OutboxState): void {
  refusedWrites.value = refused
  waitingWrites.value = waiting
  const isCut = waiting > 0 && (isOffline || !navigator.onLine)
  connection.state = refused.length > 0 ? 'attention' : isCut ? 'offline' : waiting > 0 ? 'saving' : 'saved'
  connection.waiting = waiting
  connection.attention = refused.length
}

/** Calls back for what other tabs of this person saved. */
export function listenToOtherTabs(onSaved: (write: Write, response: RecordResponse | null) => void): () => void {
  const listen = ({ data }: MessageEvent<{ userId: string; write: Write; response: RecordResponse | null }>) => {
    if (data.userId === me.value?.id) onSaved(data.write, data.response)
  }
  channel.addEventListener('message', listen)
  return () => channel.removeEventListener('message', listen)
}

export function startOutbox(): void {
  const beat = () => {
    localStorage.setItem(beatKey(TAB), String(Date.now()))
    // A tab that ended without a word is known by its silence.
    void outbox?.adopt(isAlive)
  }
  beat()
  setInterval(beat, HEARTBEAT_MS)
  // What an earlier visit left behind goes out as soon as somebody is there to send it.
  watch(me, user => user && myOutbox(), { immediate: true })
  addEventListener('pagehide', () => localStorage.removeItem(beatKey(TAB)))
  addEventListener('online', () => outbox?.hurry())
  watch(mustSignInAgain, isOver => {
    if (!isOver) outbox?.hurry()
  })
  // The browser's own question is only for those whose storage would not survive.
  addEventListener('beforeunload', event => {
    if (waitingWrites.value > 0 && !isStorageDurable) event.preventDefault()
  })
}

let isStorageDurable = true
void isDurable().then(durable => {
  isStorageDurable = durable
})
