/**
 * Answers that one person gave to a few records at once, through the outbox: the server knows no job by which to take them
 * back. The last groups are kept in the browser, each with what the responses were before, so that they can be undone after a
 * reload too.
 */
import type { ResponseStatus, ResponseValues } from '@postil/domain/responses'
import type { Database } from '../../../storage/database.ts'

export interface GroupState {
  status: ResponseStatus
  values: ResponseValues
}

/** Null: there was, or is, no response. */
export interface GroupEntry {
  recordId: string
  before: GroupState | null
  after: GroupState | null
}

export interface Group {
  id: string
  /** As the server tells times. */
  inserted_at: string
  entries: GroupEntry[]
}

const GROUPS_MAX = 10

export const toGroupState = (response: GroupState | null): GroupState | null =>
  response && { status: response.status, values: response.values }

export function openGroups(database: Database, datasetId: string) {
  // A browser without room must not stop the work: the group can be undone as long as the tab lives.
  const change = (toNext: (groups: Group[]) => Group[]) =>
    void database.edit<Group[]>('groups', datasetId, before => toNext(before ?? []))

  return {
    /** Newest first. */
    list: async () => (await database.get<Group[]>('groups', datasetId)) ?? [],
    add: (group: Group) => change(groups => [group, ...groups.filter(({ id }) => id !== group.id)].slice(0, GROUPS_MAX)),
    remove: (id: string) => change(groups => groups.filter(group => group.id !== id)),
  }
}

export type Groups = ReturnType<typeof openGroups>
