/** Creates the users of a file, one after the other. */
import { ConnectionError } from '@postil/client'
import { DomainError } from '@postil/domain/errors'
import type { Api } from '../../../api.ts'
import { newId } from '../../../storage/uuid.ts'
import { createPerson } from './create-person.ts'
import { generatePassword } from './generate-password.ts'
import { toInvitationLink } from './invitation-link.ts'
import type { ImportMode, Person } from './people-file.ts'

export interface ImportItem {
  person: Person
  /** Id of the user to create. */
  id: string
  password: string
  state: 'waiting' | 'done' | 'failed'
  /** The password or the invitation link; empty until the item is done. */
  secret: string
  error: unknown
}

export const toItem = (person: Person): ImportItem => {
  return { person, id: newId(), password: generatePassword(), state: 'waiting', secret: '', error: null }
}

interface ImportOptions {
  mode: ImportMode
  /** Workspace ids by name. */
  workspaceIds: ReadonlyMap<string, string>
  signal: AbortSignal
  onItem(item: ImportItem): void
}

/**
 * Continues after an item that the server rejects. Throws on connection errors and temporary refusals; the remaining items can
 * then be retried.
 */
export async function runImport(api: Api, items: readonly ImportItem[], options: ImportOptions): Promise<void> {
  for (const item of items) {
    if (options.signal.aborted) return
    if (item.state !== 'waiting') continue
    try {
      const secret = await (options.mode === 'password' ? createWithPassword(api, item) : invitePerson(api, item, options))
      options.onItem({ ...item, state: 'done', secret })
    } catch (error) {
      if (error instanceof ConnectionError || isTransient(error)) throw error
      options.onItem({ ...item, state: 'failed', error })
    }
  }
}

/** True for errors that are temporary, so that a retry may succeed. */
const isTransient = (error: unknown) =>
  error instanceof DomainError && ['too_many_attempts', 'unavailable', 'storage_full', 'unauthenticated'].includes(error.code)

async function createWithPassword(api: Api, { id, person, password }: ImportItem): Promise<string> {
  const { username, first_name, last_name, role, workspaces } = person
  await createPerson(api, { id, username, first_name, last_name, role, password, workspaces })
  return password
}

async function invitePerson(api: Api, { person }: ImportItem, { workspaceIds }: ImportOptions): Promise<string> {
  const { username, role, workspaces } = person
  const workspace_ids = workspaces.flatMap(name => workspaceIds.get(name) ?? [])
  const { token } = await api.createInvitation({ body: { username, role, workspace_ids } })
  return toInvitationLink(token)
}
