/** Unsent edits, kept in the browser as they are typed: a reload or a crash finds them again. */
import type { Database } from '../../storage/database.ts'
import type { Answers } from './answers.ts'

export interface LocalEdit {
  answers: Answers
  /** When my response on the server had last changed; null: there was none. */
  base: string | null
  at: number
}

export function openLocalEdits(database: Database) {
  // Only the last state of a record matters, so a newer one waits for the older one's write and no longer.
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
