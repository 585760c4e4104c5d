/** Flags and numbers of comments of the records at hand, asked for many at once. */
import type { RecordNotes } from '@postil/domain/notes'
import { computed, shallowReactive } from 'vue'
import { api } from '../../api.ts'
import { describeProblem } from '../../problems.ts'
import { showToast } from '../../toast.ts'

const IDS_MAX = 100
const known = shallowReactive(new Map<string, RecordNotes>())
const asked = new Set<string>()

/** Loads what is not known yet; a failure only means that the marks are missing. */
export async function loadNotes(recordIds: readonly string[]): Promise<void> {
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

/** Somebody wrote or deleted a comment. */
export function reloadNotes(recordId: string): void {
  if (!asked.delete(recordId)) return
  void loadNotes([recordId])
}

export const notesOf = (recordId: string): RecordNotes =>
  known.get(recordId) ?? { record_id: recordId, flagged: false, comments: 0 }

export function countComments(recordId: string, comments: number): void {
  known.set(recordId, { ...notesOf(recordId), comments })
}

export async function toggleFlag(recordId: string): Promise<void> {
  const before = notesOf(recordId)
  known.set(recordId, { ...before, flagged: !before.flagged })
  try {
    const params = { record_id: recordId }
    await (before.flagged ? api.unflagRecord({ params }) : api.flagRecord({ params }))
  } catch (error) {
    known.set(recordId, before)
    showToast({ kind: 'danger', text: describeProblem(error) })
  }
}

export const useNotes = (recordId: () => string) => ({
  notes: computed(() => notesOf(recordId())),
  toggleFlag: () => toggleFlag(recordId()),
})
