/** Flags and numbers of comments of the loaded records, requested in batches. */
import type { RecordNotes } from '@postil/domain/notes'
import { computed, shallowReactive } from 'vue'
import { describeProblem } from '../../../problems.ts'
import type { Session } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'
import { showToast } from '../../../toast.ts'

const IDS_MAX = 100

function open({ api }: Session) {
  const known = shallowReactive(new Map<string, RecordNotes>())
  const asked = new Set<string>()
  /** Comments that are not sent yet, by record. */
  const drafts = new Map<string, string>()
  const of = (recordId: string): RecordNotes => known.get(recordId) ?? { record_id: recordId, flagged: false, comments: 0 }

  /** Loads notes that are not known yet. After a failure the marks are only missing. */
  async function load(recordIds: readonly string[]): Promise<void> {
    const ids = recordIds.filter(id => !asked.has(id)).slice(0, IDS_MAX)
    if (ids.length === 0) return
    for (const id of ids) asked.add(id)
    try {
      const { items } = await api.listMyNotes({ query: { ids: ids.join(',') } })
      for (const notes of items) known.set(notes.record_id, notes)
    } catch {
      for (const id of ids) asked.delete(id)
    }
  }

  return {
    of,
    load,
    drafts,
    /** Called when somebody added or deleted a comment. */
    reload(recordId: string): void {
      if (asked.delete(recordId)) void load([recordId])
    },
    countComments: (recordId: string, comments: number) => void known.set(recordId, { ...of(recordId), comments }),
    async toggleFlag(recordId: string): Promise<void> {
      const before = of(recordId)
      known.set(recordId, { ...before, flagged: !before.flagged })
      try {
        const params = { record_id: recordId }
        await (before.flagged ? api.unflagRecord({ params }) : api.flagRecord({ params }))
      } catch (error) {
        known.set(recordId, before)
        showToast({ kind: 'danger', text: describeProblem(error) })
      }
    },
  }
}

export const notesOf = (session: Session) => session.own(open)

export function useNotes(recordId: () => string) {
  const notes = notesOf(useSession())
  return { notes: computed(() => notes.of(recordId())), toggleFlag: () => notes.toggleFlag(recordId()) }
}
