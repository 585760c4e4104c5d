/** Takes back a group of answers that was given before this page was opened, where they still stand. */
import { DomainError } from '@postil/domain/errors'
import type { Question } from '@postil/domain/questions'
import { outboxOf } from '../../../outbox/my-outbox.ts'
import type { Session } from '../../../session/session.ts'
import type { Annotation } from '../annotation.ts'
import { areSame } from '../answers.ts'
import { answersOf } from '../forms.ts'
import { loadRecord } from '../pin-record.ts'
import type { QueueItem } from '../record-queue.ts'
import { type Group, type GroupEntry, type GroupState, type Groups, toGroupState } from './groups.ts'

interface Options {
  annotation: Pick<Annotation, 'session' | 'write' | 'stack' | 'lastDone'>
  groups: Groups
  questions: readonly Question[]
}

export interface Undone {
  done: number
  /** Answered anew since, or gone: they stay as they are. */
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
  // Taking back is something that can be taken back.
  if (standing.length > 0) annotation.stack.push({ undo: redo, redo: undo })
  return { done: standing.length, left: group.entries.length - standing.length }
}

interface Found {
  entry: GroupEntry
  item: QueueItem
}

/** All are read before anything is written: what cannot be reached now is undone another time. */
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

/** Null when the record is gone, or is none of this person's any more. */
async function findItem(session: Session, recordId: string): Promise<QueueItem | null> {
  try {
    return { ...(await loadRecord(session, recordId)), hasLeft: true }
  } catch (error) {
    if (error instanceof DomainError && ['not_found', 'forbidden'].includes(error.code)) return null
    throw error
  }
}

/** Whether the record has what the group gave it, on the server or on the way there. */
function stands(session: Session, item: QueueItem, after: GroupState | null, questions: readonly Question[]): boolean {
  const write = outboxOf(session).pendingFor(item.record.id)
  const now =
    write && !write.refusal ? write.status && { status: write.status, values: write.values } : toGroupState(item.response)
  if (now === null || after === null) return now === after
  return now.status === after.status && areSame(answersOf(now), answersOf(after), questions)
}
