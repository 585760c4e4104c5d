/** Unsent edits, kept in the browser as they are typed: a reload or a crash finds them again. */
import { openTable } from '../../storage/browser-store.ts'
import type { Answers } from './answers.ts'

export interface LocalEdit {
  answers: Answers
  /** When my response on the server had last changed; null: there was none. An edit of something older is not restored. */
  base: string | null
  at: number
}

/** Whose edits they are: a browser may be shared. */
export function openLocalEdits(userId: string) {
  const table = openTable<LocalEdit>('edits')
  const key = (recordId: string) => `${userId}:${recordId}`
  // Only the last state of a record matters, so a newer one waits for the older one's write and no longer.
  const running = new Map<string, Promise<void>>()
  const queued = new Map<string, LocalEdit | null>()

  async function flush(recordId: string): Promise<void> {
    while (queued.has(recordId)) {
      const edit = queued.get(recordId)
      queued.delete(recordId)
      if (edit) await table.put(key(recordId), edit)
      else await table.delete(key(recordId))
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
    find: (recordId: string) => table.get(key(recordId)),
  }
}
