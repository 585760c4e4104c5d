import { WithRecords } from '../../lib/answer.ts'
import type { PreparedBulk } from './prepare.ts'
import { readPrepared } from './prepared-bytes.ts'

/** The items of a bulk, or what was prepared of them in another thread; then there is no body. */
export const toGiven = <T>(body: { items: T[] }, prepared: Uint8Array | undefined): T[] | PreparedBulk =>
  prepared ? readPrepared(prepared) : body.items

/** Does the work, and says with its answer how many records it was for. */
export async function counted<T>(given: T[] | PreparedBulk, work: (given: T[] | PreparedBulk) => Promise<unknown>) {
  return new WithRecords((Array.isArray(given) ? given : given.items).length, await work(given))
}
