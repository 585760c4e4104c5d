import type { EventName, EventPayload } from '@postil/domain/events'
import type { LiveData, LiveName } from '@postil/domain/live'
import type { Id } from '@postil/domain/schema'
import type { Tx } from '../storage/write.ts'

/** One thing that happened, about as many rows as the request touched. */
export type Event = { [N in EventName]: { name: N; payload: EventPayload<N> } }[EventName]

/** Says that something happened. Nobody is told before the change is committed. */
export function emit<N extends EventName>(tx: Tx, name: N, payload: EventPayload<N>): void {
  tx.events.push({ name, payload } as Event)
}

/** What only people with the dataset open need to know, beside the events: told after commit too, and kept nowhere. */
export type Notice = {
  [N in LiveName]: {
    name: N
    dataset_id: Id
    /** For this user alone; null for all who may read the dataset. */
    user_id: Id | null
    data: LiveData[N]
  }
}[LiveName]

export function notice(tx: Tx, told: Notice): void {
  tx.notices.push(told)
}
