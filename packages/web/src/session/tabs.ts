/** Communication with the user's other tabs, and leader election. */
import { type Ref, shallowRef } from 'vue'
import { newId } from '../storage/uuid.ts'
import { type Leadership, openLockLeadership, openMessageLeadership } from './leadership.ts'

export interface Tabs {
  /** Id of this tab. */
  readonly id: string
  readonly isLeader: Readonly<Ref<boolean>>
  /** Sends a message to the other tabs on the given topic. */
  tell(topic: string, message: unknown): void
  listen<T>(topic: string, hear: (message: T) => void): () => void
  /** False if another tab has taken over while this tab was suspended. */
  mayAct(): Promise<boolean>
  /** Called by a follower that gets no response from the leader. */
  takeOver(): void
  close(): void
}

const TICK_MS = 1_000
/** Time without a tick after which this tab counts as suspended. */
const SLEPT_MS = 4_000

export function openTabs(userId: string): Tabs {
  const id = newId()
  const isLeader = shallowRef(false)
  const name = `postil.${userId}`
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : null
  const listeners = new Map<string, Set<(message: never) => void>>()
  channel?.addEventListener('message', ({ data }: MessageEvent<{ topic: string; message: never }>) => {
    for (const hear of listeners.get(data.topic) ?? []) hear(data.message)
  })

  let isClosed = false
  let lastTick = performance.now()
  const ticking = setInterval(() => {
    lastTick = performance.now()
  }, TICK_MS)

  const handlers = {
    onGained: () => {
      lastTick = performance.now()
      isLeader.value = true
    },
    onLost: () => {
      isLeader.value = false
    },
  }
  const leadership = openLeadership(name, id, handlers)
  const leave = () => leadership.close()
  addEventListener('pagehide', leave)

  return {
    id,
    isLeader,
    tell: (topic, message) => {
      if (!isClosed) channel?.postMessage({ topic, message })
    },
    listen: (topic, hear) => {
      const all = listeners.get(topic) ?? new Set()
      listeners.set(topic, all.add(hear as (message: never) => void))
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

/** Without locks and `BroadcastChannel`, every tab is its own leader. */
function openLeadership(name: string, tab: string, turns: { onGained(): void; onLost(): void }): Leadership {
  const locks = globalThis.navigator?.locks
  if (locks) return openLockLeadership(locks, name, turns)
  if ('BroadcastChannel' in globalThis) return openMessageLeadership(new BroadcastChannel(`${name}.lead`), tab, turns)
  turns.onGained()
  return { takeOver: () => undefined, isStillMine: async () => true, close: () => undefined }
}
