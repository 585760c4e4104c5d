/**
 * Groups of answers that a user gave to several records together through the outbox. The server has no job to undo them. The most
 * recent groups are stored in the browser, each with the previous responses, so that they can be undone after a reload.
 */
import type { ResponseStatus, ResponseValues } from '@postil/domain/responses'
import type { Database } from '../../../../storage/database.ts'

export interface GroupState {
  status: ResponseStatus
  values: ResponseValues
}

/** Null if there was no response before, or is none after. */
export interface GroupEntry {
  recordId: string
  before: GroupState | null
  after: GroupState | null
}

export interface Group {
  id: string
  /** In the format of the server's timestamps. */
  inserted_at: string
  entries: GroupEntry[]
}

const GROUPS_MAX = 10

export const toGroupState = (response: GroupState | null): GroupState | null =>
  response && { status: response.status, values: response.values }

export function openGroups(database: Database, datasetId: string) {
  // A full storage must not block the work: without it, the group can be undone only until the tab is closed.
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
