/** This tab among the others of the same person: what they tell each other, and which one leads. */
import { type Ref, shallowRef } from 'vue'
import { newId } from '../storage/uuid.ts'
import { type Leadership, openLockLead, openMessageLead } from './leadership.ts'

export interface Tabs {
  /** Of this tab. */
  readonly id: string
  readonly isLeader: Readonly<Ref<boolean>>
  /** To the others, on a topic that both sides know. */
  tell(topic: string, message: unknown): void
  listen<T>(topic: string, hear: (message: T) => void): () => void
  /** False when another tab has taken over while this one slept. */
  mayAct(): Promise<boolean>
  /** For a follower that gets no answer. */
  takeOver(): void
  close(): void
}

const TICK_MS = 1_000
/** Without a tick for so long, this tab slept. */
const SLEPT_MS = 4_000

export function openTabs(userId: string): Tabs {
  const id = newId()
  const isLeader = shallowRef(false)
  const name = `postil.${userId}`
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : null
  const hearers = new Map<string, Set<(message: never) => void>>()
  channel?.addEventListener('message', ({ data }: MessageEvent<{ topic: string; message: never }>) => {
    for (const hear of hearers.get(data.topic) ?? []) hear(data.message)
  })

  let isClosed = false
  let lastTick = performance.now()
  const ticking = setInterval(() => {
    lastTick = performance.now()
  }, TICK_MS)

  const turns = {
    onGained: () => {
      lastTick = performance.now()
      isLeader.value = true
    },
    onLost: () => {
      isLeader.value = false
    },
  }
  const leadership = openLeadership(name, id, turns)
  const leave = () => leadership.close()
  addEventListener('pagehide', leave)

  return {
    id,
    isLeader,
    tell: (topic, message) => {
      if (!isClosed) channel?.postMessage({ topic, message })
    },
    listen: (topic, hear) => {
      const all = hearers.get(topic) ?? new Set()
      hearers.set(topic, all.add(hear as (message: never) => void))
      return () => all.delete(hear as (message: never) => void)
    },
    async mayAct() {
      if (!isLeader.value) return false
      if (performance.now() - lastTick < SLEPT_MS) return true
      const isMine = await leadership.isStillMine()
      lastTick = performance.now()
      return isMine && isLeader.value
    },
    takeOver: () => leadership.takeOver(),
    close: () => {
      isClosed = true
      clearInterval(ticking)
      removeEventListener('pagehide', leave)
      leadership.close()
      isLeader.value = false
      channel?.close()
    },
  }
}

/** A tab that cannot hear others leads itself. */
function openLeadership(name: string, tab: string, turns: { onGained(): void; onLost(): void }): Leadership {
  const locks = globalThis.navigator?.locks
  if (locks) return openLockLead(locks, name, turns)
  if ('BroadcastChannel' in globalThis) return openMessageLead(new BroadcastChannel(`${name}.lead`), tab, turns)
  turns.onGained()
  return { takeOver: () => undefined, isStillMine: async () => true, close: () => undefined }
}
