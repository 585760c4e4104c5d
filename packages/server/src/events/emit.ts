import type { EventName, EventPayload } from '@postil/domain/events'
import type { Tx } from '../storage/write.ts'

/** One thing that happened, about as many rows as the request touched. */
export type Event = { [N in EventName]: { name: N; payload: EventPayload<N> } }[EventName]

/** Says that something happened. Nobody is told before the change is committed. */
export function emit<N extends EventName>(tx: Tx, name: N, payload: EventPayload<N>): void {
  tx.events.push({ name, payload } as Event)
}
