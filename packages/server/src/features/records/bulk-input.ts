import { WithRecords } from '../../lib/answer.ts'
import type { PreparedBulk } from './prepare.ts'
import { readPrepared } from './prepared-bytes.ts'

/** Returns the items of a bulk request, or the bulk prepared in another thread, in which case there is no body. */
export const toBulkInput = <T>(body: { items: T[] }, prepared: Uint8Array | undefined): T[] | PreparedBulk =>
  prepared ? readPrepared(prepared) : body.items

/** Runs the work and adds the number of records to its result. */
export async function withRecordCount<T>(given: T[] | PreparedBulk, work: (given: T[] | PreparedBulk) => Promise<unknown>) {
  return new WithRecords((Array.isArray(given) ? given : given.items).length, await work(given))
}
