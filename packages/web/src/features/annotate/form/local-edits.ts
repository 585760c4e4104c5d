/** Unsent edits, stored in the browser while the user types, so that they survive a reload or crash. */
import type { Database } from '../../../storage/database.ts'
import type { Answers } from './answers.ts'

export interface LocalEdit {
  answers: Answers
  /** `updated_at` of the user's response that the edit is based on; null if there was none. */
  base: string | null
  at: number
}

export function openLocalEdits(database: Database) {
  // Only the latest state of a record matters: it waits for the running write and replaces any queued one.
  const running = new Map<string, Promise<void>>()
  const queued = new Map<string, LocalEdit | null>()

  async function flush(recordId: string): Promise<void> {
    while (queued.has(recordId)) {
      const edit = queued.get(recordId)
      queued.delete(recordId)
      await database.write('edits', edit ? { put: [[recordId, edit]] } : { delete: [recordId] })
    }
    running.delete(recordId)
  }

  function set(recordId: string, edit: LocalEdit | null): void {
    queued.set(recordId, edit)
    if (!running.has(recordId)) running.set(recordId, flush(recordId))
  }

  return {
    keep: (recordId: string, edit: LocalEdit) => set(recordId, edit),
    forget: (recordId: string) => set(recordId, null),
    find: (recordId: string) => database.get<LocalEdit>('edits', recordId),
  }
}
