import { RESPONSE_STATUSES, type ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import type { SearchResponse } from '@postil/domain/search/document'
import type { Move } from '../insertion.ts'
import { ByteColumn } from './byte-column.ts'
import { UserRows } from './user-rows.ts'

/** Statuses in text order, which is their sort order. */
const ORDERED_STATUSES = RESPONSE_STATUSES.toSorted()

/** Code of a status in `Responses.statuses`. Starts at 1, so that it also serves as sort key. */
export const statusCode = (status: ResponseStatus): number => ORDERED_STATUSES.indexOf(status) + 1

/** A slot whose response was written, or removed if `response` is null. */
export interface ChangedSlot {
  slot: number
  response: SearchResponse | null
}

/** Users who responded to each record, with the status of each response. Answers are separate columns, indexed by slot. */
export class Responses {
  readonly rows = new UserRows()
  /** Status codes by slot. */
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

  /** Replaces the responses to a record. Returns every slot whose answers must be updated. */
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

  /** Adds many responses in one call. Returns their slots, which are needed to fill columns of answers. */
  fill(ordinals: ArrayLike<number>, userIds: readonly Id[], statuses: readonly ResponseStatus[]): Uint32Array {
    const slots = Uint32Array.from(ordinals, (ordinal, i) => this.rows.add(ordinal, userIds[i] as Id))
    for (let i = 0; i < slots.length; i++) this.statuses.set(slots[i] as number, statusCode(statuses[i] as ResponseStatus))
    return slots
  }
}
