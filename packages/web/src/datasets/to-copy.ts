import type { Write } from '../outbox/write.ts'

/** Answers as a person can take them elsewhere: JSON, with the record that each belongs to. */
export const toCopy = (writes: readonly Write[]): string =>
  JSON.stringify(
    writes.map(({ recordId, status, values }) => ({ record_id: recordId, status, values })),
    null,
    2,
  )
