import { RESPONSE_STATUSES, type ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { SearchResponse } from '@postil/domain/search/document'
import type { Move } from '../insertion.ts'
import { ByteColumn } from './byte-column.ts'
import { UserRows } from './user-rows.ts'

/** Statuses in text order, which is the order they sort in. */
const ORDERED_STATUSES = RESPONSE_STATUSES.toSorted()

/** What `Responses.statuses` holds for a status: from 1, so that it is also its sort key. */
export const statusCode = (status: ResponseStatus): number => ORDERED_STATUSES.indexOf(status) + 1

/** A slot whose response was written, or removed if there is none now. */
export interface ChangedSlot {
  slot: number
  response: SearchResponse | null
}

/** Who responded to which records, and with what status. The answers are columns of their own, by slot. */
export class Responses {
  readonly rows = new UserRows()
  /** By slot. */
  readonly statuses = new ByteColumn()

  get bytes(): number {
    return this.rows.bytes + this.statuses.bytes
  }

  reserve(ordinals: number): void {
    this.rows.reserve(ordinals)
  }

  moveUp(move: Move): void {
    this.rows.moveUp(move)
  }

  /** Replaces the responses to a record, and returns every slot whose answers must follow. */
  put(ordinal: number, responses: readonly SearchResponse[]): ChangedSlot[] {
    const written = responses.map((response): ChangedSlot => {
      const slot = this.rows.add(ordinal, response.user_id)
      this.statuses.set(slot, statusCode(response.status))
      return { slot, response }
    })
    const kept = new Set(written.map(({ slot }) => slot))
    const removed = this.rows.slotsOf(ordinal).filter(slot => !kept.has(slot))
    for (const slot of removed) this.rows.remove(slot)
    return [...removed.map(slot => ({ slot, response: null })), ...written]
  }

  /** Adds many responses at once. Returns their slots, to fill columns of answers with. */
  fill(ordinals: ArrayLike<number>, userIds: readonly Id[], statuses: readonly ResponseStatus[]): Uint32Array {
    const slots = Uint32Array.from(ordinals, (ordinal, i) => this.rows.add(ordinal, userIds[i] as Id))
    for (let i = 0; i < slots.length; i++) this.statuses.set(slots[i] as number, statusCode(statuses[i] as ResponseStatus))
    return slots
  }
}
