import type { Write } from '../outbox/write.ts'

/** Serialises answers as JSON for the clipboard, with the record id of each. */
export const serializeAnswers = (writes: readonly Write[]): string =>
  JSON.stringify(
    writes.map(({ recordId, status, values }) => ({ record_id: recordId, status, values })),
    null,
    2,
  )
