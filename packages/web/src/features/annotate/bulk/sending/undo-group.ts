/** Undoes a group of answers from before this page was opened. Records that were changed since are skipped. */
import { DomainError } from '@postil/domain/errors'
import type { Question } from '@postil/domain/questions'
import { outboxOf } from '../../../../outbox/my-outbox.ts'
import type { Session } from '../../../../session/session.ts'
import type { Annotation } from '../../form/annotation.ts'
import { areSame } from '../../form/answers.ts'
import { answersOf } from '../../form/forms.ts'
import { loadRecord } from '../../queue/pin-record.ts'
import type { QueueItem } from '../../queue/record-queue.ts'
import { type Group, type GroupEntry, type GroupState, type Groups, toGroupState } from './groups.ts'

interface Options {
  annotation: Pick<Annotation, 'session' | 'write' | 'stack' | 'lastDone'>
  groups: Groups
  questions: readonly Question[]
}

export interface Undone {
  done: number
  /** Number of records that were answered again or deleted since, and stay unchanged. */
  left: number
}

const REQUESTS_MAX = 4

export async function undoGroup(group: Group, { annotation, groups, questions }: Options): Promise<Undone> {
  const { session } = annotation
  const found = await loadItems(session, group.entries)
  const standing = found.filter(({ item, entry }) => stands(session, item, entry.after, questions))
  const turn = (to: 'before' | 'after') => {
    for (const { item, entry } of standing) {
      const state = entry[to]
      item.response = annotation.write(item, state?.status ?? null, answersOf(state))
    }
  }
  const undo = () => {
    annotation.lastDone.value = null
    turn('before')
    groups.remove(group.id)
  }
  const redo = () => {
    turn('after')
    groups.add(group)
  }
  undo()
  // The undo itself can be undone.
  if (standing.length > 0) annotation.stack.push({ undo: redo, redo: undo })
  return { done: standing.length, left: group.entries.length - standing.length }
}

interface Found {
  entry: GroupEntry
  item: QueueItem
}

/** Loads all records before anything is written, so that a connection error leaves the group unchanged. */
async function loadItems(session: Session, entries: readonly GroupEntry[]): Promise<Found[]> {
  const found: Found[] = []
  const rest = [...entries]
  const work = async () => {
    for (let entry = rest.shift(); entry; entry = rest.shift()) {
      const item = await findItem(session, entry.recordId)
      if (item) found.push({ entry, item })
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_MAX }, work))
  return found
}

/** Returns null if the record was deleted or the user no longer has access to it. */
async function findItem(session: Session, recordId: string): Promise<QueueItem | null> {
  try {
    return { ...(await loadRecord(session, recordId)), hasLeft: true }
  } catch (error) {
    if (error instanceof DomainError && ['not_found', 'forbidden'].includes(error.code)) return null
    throw error
  }
}

/** True if the record still has the group's answer, on the server or in the outbox. */
function stands(session: Session, item: QueueItem, after: GroupState | null, questions: readonly Question[]): boolean {
  const write = outboxOf(session).pendingFor(item.record.id)
  const now =
    write && !write.refusal ? write.status && { status: write.status, values: write.values } : toGroupState(item.response)
  if (now === null || after === null) return now === after
  return now.status === after.status && areSame(answersOf(now), answersOf(after), questions)
}
